package elffile

import (
	"debug/elf"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/cgoheap/cgoheap/internal/descriptor"
	"github.com/cgoheap/cgoheap/internal/scratch"
)

// File is an open ELF file. Its methods may be called from several goroutines.
type File struct {
	Type    elf.Type
	Machine elf.Machine

	name       string
	reader     io.ReaderAt
	size       uint64
	file       *os.File // nil if it was not opened here
	programs   []elf.ProgHeader
	sections   []elf.SectionHeader
	sectionErr error         // why there are no sections, in a file that claims to have some
	unpacked   atomic.Uint64 // bytes
	memory     scratch.Memory
	allowance  *Allowance   // nil: no bound
	taken      atomic.Int64 // of the allowance
}

// Open opens the regular file at path. The caller closes it.
func Open(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a FIFO would wait for its writer
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	file, err := descriptor.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := newOSFile(file, path)
	if err != nil {
		file.Close()
		return nil, err
	}
	return f, nil
}

func newOSFile(file *os.File, name string) (*File, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	f, err := New(file, info.Size(), name)
	if err != nil {
		return nil, err
	}
	f.file = file
	return f, nil
}

// New reads the headers of the ELF file that is the first size bytes of r, which must stay readable while the File is
// used. Errors contain the name. Close does not close r, but must be called all the same.
func New(r io.ReaderAt, size int64, name string) (*File, error) {
	f := &File{name: name, reader: r, size: uint64(max(size, 0))}
	tables, err := f.readHeader()
	if err != nil {
		return nil, fmt.Errorf("reading the ELF header of %s: %w", name, err)
	}
	if f.programs, err = f.readPrograms(tables); err != nil {
		return nil, fmt.Errorf("reading the program headers of %s: %w", name, err)
	}
	if f.sections, err = f.readSections(tables); err != nil {
		f.sectionErr = fmt.Errorf("reading the section headers of %s: %w", name, err)
	}
	return f, nil
}

// Release frees the memory of all bytes that were read: slices that the File's methods returned must not be used any more.
// The File stays open.
func (f *File) Release() {
	f.memory.Free()
	f.giveBack()
}

// Close releases what Open opened, after Release.
func (f *File) Close() error {
	f.Release()
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}

// Stat describes the file that Open opened, whatever its path leads to by now.
func (f *File) Stat() (os.FileInfo, error) {
	if f.file == nil {
		return nil, fmt.Errorf("%s: not opened by path", f.name)
	}
	return f.file.Stat()
}

// Name returns the path that was opened, or the name given to New.
func (f *File) Name() string { return f.name }

// maxBytes bounds every single read and every decompressed section.
const maxBytes = 1 << 30

// holds returns an error if a part is not in the file, or too large to be read. It comes before anything is allocated for it.
func (f *File) holds(offset, size uint64) error {
	if offset > f.size || size > f.size-offset {
		return fmt.Errorf("%d bytes at offset %#x lie beyond the end of the file at %#x: %w",
			size, offset, f.size, io.ErrUnexpectedEOF)
	}
	if size > maxBytes {
		return fmt.Errorf("%d bytes at offset %#x are more than the %d that are read at once", size, offset, maxBytes)
	}
	return nil
}

// bytes reads a part that the file holds.
func (f *File) bytes(offset, size uint64) ([]byte, error) {
	if err := f.holds(offset, size); err != nil {
		return nil, err
	}
	data := f.memory.Bytes(int(size))
	if _, err := io.ReadFull(io.NewSectionReader(f.reader, int64(offset), int64(size)), data); err != nil {
		f.memory.Release(data)
		return nil, fmt.Errorf("%d bytes at offset %#x: %w", size, offset, err)
	}
	return data, nil
}

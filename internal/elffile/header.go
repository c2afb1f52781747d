package elffile

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
)

// tables is where the header tables lie.
type tables struct {
	programs, sections           uint64 // file offsets, 0 if there is no such table
	programCount, sectionCount   uint64
	programStride, sectionStride uint64
	names                        uint64 // index of the section that holds the section names
}

// ErrNotELF reports that a file is of another format.
var ErrNotELF = errors.New("not an ELF file")

// errForeign reports that an ELF file has 32 bits or is big-endian: it is neither the program nor a library of a process
// in which this profiler can run.
var errForeign = errors.New("not a 64-bit little-endian file, so not one that this process can run")

// order is the byte order of all files that are read.
var order = binary.LittleEndian

func (f *File) readHeader() (tables, error) {
	ident, err := f.bytes(0, elf.EI_NIDENT)
	if err != nil {
		return tables{}, err
	}
	if string(ident[:4]) != elf.ELFMAG {
		return tables{}, fmt.Errorf("%w: it begins with % x", ErrNotELF, ident[:4])
	}
	if class, order := elf.Class(ident[elf.EI_CLASS]), elf.Data(ident[elf.EI_DATA]); class != elf.ELFCLASS64 || order != elf.ELFDATA2LSB {
		return tables{}, fmt.Errorf("%w: it is of class %v, byte order %v", errForeign, class, order)
	}
	return f.readHeaderFields()
}

func (f *File) readHeaderFields() (tables, error) {
	var h elf.Header64
	if err := f.decodeAt(0, &h); err != nil {
		return tables{}, err
	}
	f.Type, f.Machine = elf.Type(h.Type), elf.Machine(h.Machine)
	return tables{
		programs: h.Phoff, programCount: uint64(h.Phnum), programStride: uint64(h.Phentsize),
		sections: h.Shoff, sectionCount: uint64(h.Shnum), sectionStride: uint64(h.Shentsize),
		names: uint64(h.Shstrndx),
	}, nil
}

// decodeAt reads a structure, or as many of them as the slice has elements.
func (f *File) decodeAt(offset uint64, into any) error {
	data, err := f.bytes(offset, uint64(binary.Size(into)))
	if err != nil {
		return err
	}
	_, err = binary.Decode(data, order, into)
	return err
}

// checkTable refuses a table that is not made of the structure of our class, or has more entries than the file can hold,
// before memory is set aside for it.
func (f *File) checkTable(count, stride uint64, entry any) error {
	if want := uint64(binary.Size(entry)); stride != want {
		return fmt.Errorf("entries of %d bytes, not %d", stride, want)
	}
	if count > f.size/stride {
		return fmt.Errorf("%d entries in a file of %d bytes", count, f.size)
	}
	return nil
}

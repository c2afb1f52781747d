package remote

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/cgoheap/cgoheap/internal/blackbox"
	"github.com/cgoheap/cgoheap/internal/descriptor"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/tables"
)

// ErrNotBegun reports a box that was made and in which nothing is recorded: the word that says that a header is there is the last
// of it to be written.
var ErrNotBegun = errors.New("nothing is recorded in it: its process ended before it began to record, or after it had stopped")

// ErrFull reports a box that lacks pages.
var ErrFull = errors.New("its volume was full")

// ReadBox reads the recording in the file of a black box, whose process is gone. A large one is read in place: the file must stay
// as it is until Close. Its time is that of the flight recorder's last record, about a second before the end at most; without one, that of the
// last change that the file system noted. Other files are opened by the paths that the process knew, and by their build IDs
// or, without these, by what the process has noted of them. It returns ErrNotBegun if the process had only just made the file.
func ReadBox(file *os.File) (*Recording, error) {
	r := &Recording{}
	if err := withoutFaults(func() error { return r.readBox(file) }); err != nil {
		r.Close()
		return nil, fmt.Errorf("%s: %w", file.Name(), err)
	}
	return r, nil
}

func (r *Recording) readBox(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if err := beginsBox(file, info.Size()); err != nil {
		return err
	}
	if err := r.mapBox(file); err != nil {
		return err
	}
	return r.knowEnd(info.ModTime())
}

// ReadMemory reads the recording in memory that a process had as its tables, which ended just now. It is read in place. Otherwise it is as
// ReadBox.
func ReadMemory(memory []byte) (*Recording, error) {
	if err := beginsBox(bytes.NewReader(memory), int64(len(memory))); err != nil {
		return nil, err
	}
	used, err := usedBytes(memory)
	if err != nil {
		return nil, err
	}
	r := &Recording{region: memory[:used], started: started(memory)}
	return r, withoutFaults(func() error { return r.knowEnd(time.Now()) })
}

// knowEnd takes what the region says of its process, which has ended at that time at the latest.
func (r *Recording) knowEnd(latest time.Time) error {
	r.Time = latest
	if last := lastIn(r.region); last != nil {
		r.Time = last.Time
	}
	return r.know()
}

// know takes what the region says of its process.
func (r *Recording) know() error {
	if missing := r.region.Load64(layout.HeaderMissing); missing > 0 {
		return fmt.Errorf("%w: %d pages could not be written, and without them nothing in it is right", ErrFull, missing)
	}
	r.About, _ = blackbox.Read(r.region.Bytes(r.region.Load64(layout.HeaderAbout), r.region.Load64(layout.HeaderAboutSize)))
	r.byTables()
	if r.About.Program != "" {
		r.Program = r.About.Program
	}
	return nil
}

// mostCopied is how much data of a box is copied; of one that has more, it is read in place.
const mostCopied = 16 << 20

// mapBox maps what is used of the region.
func (r *Recording) mapBox(file *os.File) error {
	head := make(tables.Region, layout.SizeofHeader)
	if _, err := file.ReadAt(head, 0); err != nil {
		return err
	}
	used, err := usedBytes(head)
	if err != nil {
		return err
	}
	memory, unmap, err := mapFile(file, int(used), mostCopied)
	r.region, r.unmap = memory, unmap
	r.started = started(head)
	return err
}

// beginsBox returns nil if a file of so many bytes begins as a box does and is as long as it says, otherwise why not.
func beginsBox(file io.ReaderAt, size int64) error {
	var head [layout.HeaderSize + 8]byte
	n, err := file.ReadAt(head[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if head == [len(head)]byte{} || n == len(head) && binary.NativeEndian.Uint64(head[:]) == 0 {
		return ErrNotBegun
	}
	switch err := regionAt(file, 0); {
	case errors.Is(err, errNoRecording):
		return errors.New("it is not a black box of cgoheap, or was overwritten")
	case err != nil:
		return err
	}
	if whole := binary.NativeEndian.Uint64(head[layout.HeaderSize:]); whole != uint64(size) {
		return fmt.Errorf("it has %d bytes of %d: it was cut short or overwritten", size, whole)
	}
	return nil
}

// opened are the files through which a process is read.
type opened struct {
	dir     string
	memory  *os.File
	pages   *os.File // nil if they cannot be read
	touched func(start, limit uint64) bool
}

func openMemory(dir string) (*opened, error) {
	memory, err := descriptor.Open(filepath.Join(dir, "mem"))
	if err != nil {
		return nil, err
	}
	o := &opened{dir: dir, memory: memory, touched: anywhere}
	if o.pages, err = descriptor.Open(filepath.Join(dir, "pagemap")); err == nil {
		o.touched = pagemap{o.pages}.touched
	}
	return o, nil
}

func (o *opened) close() {
	o.memory.Close()
	o.pages.Close() // of nil, it does nothing
}

func (o *opened) findRegion() (start uint64, err error) {
	maps, err := descriptor.Open(filepath.Join(o.dir, "maps"))
	if err != nil {
		return 0, err
	}
	defer maps.Close()
	return regionAmong(candidates(maps), o.memory)
}

// copyRegion copies it from the file of a box, or else from memory.
func (o *opened) copyRegion(start uint64) (tables.Region, error) {
	if box, ok := openBox(o.dir, start, o.memory); ok {
		defer box.Close()
		return copyRegion(box, start, anywhere)
	}
	touched := o.touched
	if inSegment(o.dir, start) { // the kernel does not tell of pages that it has swapped out
		touched = anywhere
	}
	return copyRegion(o.memory, start, touched)
}

// ErrFault reports that a page of a file could not be read: its disk has an error, or somebody made it shorter meanwhile.
var ErrFault = errors.New("a part of the file could not be read, or was cut off meanwhile")

// withoutFaults calls do, which reads a file in place. A page that cannot be had is an error then, and not the end of the
// process. Only the calling goroutine may read the file.
func withoutFaults(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		caught := recover()
		if caught == nil {
			return
		}
		if fault, ok := caught.(interface{ Addr() uintptr }); !ok || fault.Addr() == 0 {
			panic(caught)
		}
		err = ErrFault
	}()
	return do()
}

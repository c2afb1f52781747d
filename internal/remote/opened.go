package remote

import (
	"os"
	"path/filepath"

	"github.com/cgoheap/cgoheap/internal/descriptor"
	"github.com/cgoheap/cgoheap/internal/tables"
)

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
	return copyRegion(o.memory, start, o.touched)
}

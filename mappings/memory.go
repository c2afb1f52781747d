package mappings

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/cgoheap/cgoheap/internal/descriptor"
	"github.com/cgoheap/cgoheap/internal/elffile"
)

// headBytes is how much of a file's start is read from memory: many times the size of headers and build ID.
const headBytes = 1 << 16

var errNoHead = errors.New("the start of the file is not mapped readable")

// OpenHead reads the start of the file where it is mapped.
func (p process) OpenHead(m *Module) (*elffile.File, error) {
	for i := range m.mapped {
		start := &m.mapped[i]
		if start.Offset == 0 && start.readable() {
			size := min(uint64(start.Limit-start.Start), headBytes)
			return p.openMemory(m.Path+" in memory", start.Start, size)
		}
	}
	return nil, fmt.Errorf("%s: %w", m.Path, errNoHead)
}

// maxVDSO bounds the copy of the vdso, which takes two pages.
const maxVDSO = 1 << 20

func (p process) openVDSO(m *Module) (*elffile.File, error) {
	if len(m.mapped) == 0 {
		return nil, fmt.Errorf("%s: %w", m.Path, errNoHead)
	}
	image := &m.mapped[0]
	return p.openMemory(m.Path, image.Start, min(uint64(image.Limit-image.Start), maxVDSO))
}

// openMemory opens an ELF image from a copy of memory. Reading through the kernel turns what would be a fault (memory that
// was unmapped in the meantime, a truncated file) into an error or a shorter copy.
func (p process) openMemory(name string, start RuntimeAddr, size uint64) (*elffile.File, error) {
	image, err := p.copyMemory(start, size)
	if err != nil {
		return nil, fmt.Errorf("reading memory of %s: %w", name, err)
	}
	return elffile.New(bytes.NewReader(image), int64(len(image)), name)
}

func (p process) copyMemory(start RuntimeAddr, size uint64) ([]byte, error) {
	image := make([]byte, size)
	n, err := p.readMemory(image, start)
	if n == 0 {
		return nil, cmp.Or(err, errNoHead)
	}
	return image[:n], nil
}

func (p process) readMemory(to []byte, start RuntimeAddr) (int, error) {
	if p == self {
		if n, allowed := copyOwn(to, start); allowed {
			return n, nil
		}
	}
	memory, err := descriptor.Open(p.file("mem"))
	if err != nil {
		return 0, err
	}
	defer memory.Close()
	return memory.ReadAt(to, int64(start))
}

// Memory reads this process's memory by runtime address, through the kernel: unreadable memory is an error, not a fault.
type Memory struct{}

// ReadAt reads up to the first unreadable byte.
func (Memory) ReadAt(to []byte, address int64) (int, error) {
	if len(to) == 0 {
		return 0, nil
	}
	if address < 0 || address > math.MaxInt64-int64(len(to)) {
		return 0, io.EOF
	}
	n, err := self.readMemory(to, RuntimeAddr(address))
	if n == len(to) {
		return n, nil
	}
	if err == nil {
		err = io.EOF
	}
	return n, err
}

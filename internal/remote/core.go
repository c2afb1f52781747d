package remote

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/cgoheap/cgoheap/internal/descriptor"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/mappings"
)

// ReadCore reads the recording in a core file, as the kernel writes it when a process dies of a signal (core(5)), and gcore
// while it lives, or in the black box that the process had, if that is still there. The time is that of the file. Files are opened by
// the paths that the process knew, and by their build IDs only. It must be closed.
func ReadCore(path string) (*Recording, error) {
	r, err := readCore(path)
	if err != nil && !strings.Contains(err.Error(), path) {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return r, err
}

func readCore(path string) (*Recording, error) {
	f, err := descriptor.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	c, err := newCore(f)
	if err != nil {
		return nil, err
	}
	start, err := regionAmong(c.starts(), c)
	if errors.Is(err, errNoRecording) {
		return boxOf(path, c)
	}
	if err != nil {
		return nil, err
	}
	r := &Recording{Time: info.ModTime()}
	if r.region, err = copyRegion(c, start, anywhere); err != nil {
		return nil, err
	}
	r.started = started(r.region)
	r.byTables()
	return r, nil
}

// byTables finds the modules of a process that is gone, by the region alone.
func (r *Recording) byTables() {
	r.ticks = r.ticksByTime()
	r.modulesOf(mappings.Of("/proc/self")) // of its file system; nothing is mapped
	if len(r.modules) > 0 {
		r.Program = r.modules[0].Path
	}
}

// FilesIn says that the files of a process, whose box or core file was read, lie below a folder, such as the root of a container.
func (r *Recording) FilesIn(root string) error {
	return withoutFaults(func() error {
		r.modulesOf(mappings.In(root))
		return nil
	})
}

func (r *Recording) modulesOf(process mappings.Process) {
	r.made, r.modules = process.Made(layout.ModuleMade, nil), nil
	r.identify(process, nil)
	if len(r.modules) > 0 {
		r.main = r.modules[0]
	}
}

// core is the memory in a core file.
type core struct {
	file     io.ReaderAt
	segments []elf.ProgHeader // ascending by address
	notes    []*elf.Prog
}

func newCore(file io.ReaderAt) (*core, error) {
	f, err := elf.NewFile(file)
	if err != nil {
		return nil, fmt.Errorf("it is no core file: %w", err)
	}
	if f.Type != elf.ET_CORE {
		return nil, errors.New("it is no core file, but another ELF file")
	}
	c := &core{file: file}
	for _, p := range f.Progs {
		switch p.Type {
		case elf.PT_LOAD:
			c.segments = append(c.segments, p.ProgHeader)
		case elf.PT_NOTE:
			c.notes = append(c.notes, p)
		}
	}
	slices.SortFunc(c.segments, func(a, b elf.ProgHeader) int { return int(min(1, max(-1, int64(a.Vaddr)-int64(b.Vaddr)))) })
	return c, nil
}

// starts yields where memory begins that can be read and written.
func (c *core) starts() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for _, s := range c.segments {
			if s.Flags&(elf.PF_R|elf.PF_W) == elf.PF_R|elf.PF_W && s.Filesz > 0 && !yield(s.Vaddr) {
				return
			}
		}
	}
}

// segment returns the segment that an address lies in; nil if there is none.
func (c *core) segment(address uint64) *elf.ProgHeader {
	at, _ := slices.BinarySearchFunc(c.segments, address, func(s elf.ProgHeader, address uint64) int {
		if s.Vaddr+s.Memsz <= address {
			return -1
		}
		return 1
	})
	if at == len(c.segments) || c.segments[at].Vaddr > address {
		return nil
	}
	return &c.segments[at]
}

// ReadAt reads memory by its address, and across segments that adjoin. What the file leaves out is an error.
func (c *core) ReadAt(to []byte, address int64) (n int, err error) {
	for n < len(to) {
		at := uint64(address) + uint64(n)
		s := c.segment(at)
		if s == nil || at-s.Vaddr >= s.Filesz {
			return n, fmt.Errorf("the memory at %#x is not in the file", at)
		}
		part := to[n:]
		part = part[:min(uint64(len(part)), s.Filesz-(at-s.Vaddr))]
		read, err := c.file.ReadAt(part, int64(s.Off+(at-s.Vaddr)))
		if n += read; read < len(part) {
			return n, fmt.Errorf("the file is cut short: %w", err)
		}
	}
	return n, nil
}

package mappings

import (
	"os"
	"path/filepath"
	"slices"
)

// Segment is a loadable segment of a file, as the loader has it.
type Segment struct {
	Path         string // of the file, or "[vdso]"
	Start, Limit RuntimeAddr
	Offset       FileOffset // of Start
	Executable   bool
}

// Linked finds the modules of this process as Self does, from the loader's segments instead of the kernel's mappings, for
// hosts without /proc: the module of the first segment first. A file that has the path but not what is in memory is not
// taken for the module's.
func Linked(segments []Segment) []Module {
	var mapped []Mapping
	for _, s := range segments {
		mapped = append(mapped, s.mapping())
	}
	modules := Modules(mapped, self)
	at := slices.IndexFunc(modules, func(m Module) bool { return len(mapped) > 0 && m.Path == mapped[0].Path })
	if at > 0 {
		program := modules[at]
		copy(modules[1:at+1], modules[:at])
		modules[0] = program
	}
	return modules
}

// mapping is what the kernel would say of a segment, but for the device, which the loader does not know: without it, an
// open file is held against the head in memory.
func (s Segment) mapping() Mapping {
	page := uint64(os.Getpagesize()) - 1
	m := Mapping{
		Start:  s.Start &^ RuntimeAddr(page),
		Limit:  (s.Limit + RuntimeAddr(page)) &^ RuntimeAddr(page),
		Offset: s.Offset &^ FileOffset(page),
		Perms:  "r--p",
		Path:   s.Path,
	}
	if s.Executable {
		m.Perms = "r-xp"
	}
	if m.Path != vdsoPath {
		m.Path, _ = filepath.Abs(m.Path)
		m.Inode, _ = inodeOf(m.Path)
	}
	return m
}

package mappings

import (
	"path/filepath"
	"slices"
)

// Segment is a loadable segment of a file, as the loader lists it.
type Segment struct {
	Path         string // of the file, or "[vdso]"
	Start, Limit RuntimeAddr
	Offset       FileOffset // of Start
	Executable   bool
}

// Linked finds the modules of this process as Self does, but from the loader's segments instead of the kernel's mappings,
// for hosts without /proc. The module of the first segment comes first. A file at the path whose content differs from memory
// is not used.
func Linked(segments []Segment) []Module {
	var mapped []mapping
	for _, s := range segments {
		mapped = append(mapped, s.mapping())
	}
	modules, _ := inspectAll(mapped, self)
	at := slices.IndexFunc(modules, func(m Module) bool { return len(mapped) > 0 && m.Path == mapped[0].Path })
	if at > 0 {
		program := modules[at]
		copy(modules[1:at+1], modules[:at])
		modules[0] = program
	}
	return modules
}

// mapping returns the segment as the kernel would list it, but without the device, which the loader does not know. Without a
// device, an open file is compared with its head in memory.
func (s Segment) mapping() mapping {
	m := mapping{
		Start:  RuntimeAddr(pageDown(uint64(s.Start))),
		Limit:  RuntimeAddr(pageDown(uint64(s.Limit) + page - 1)),
		Offset: FileOffset(pageDown(uint64(s.Offset))),
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

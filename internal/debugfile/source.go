package debugfile

import (
	"errors"
	"sync"

	"github.com/cgoheap/cgoheap/internal/dwarf"
	"github.com/cgoheap/cgoheap/internal/elffile"
)

// source provides the debug sections of a file to internal/dwarf.
type source struct{ *elffile.File }

// Section leaves a section in the file if it can be read piece by piece there.
func (s source) Section(name string) (dwarf.Section, error) {
	part, data, err := s.SectionParts(name)
	switch {
	case errors.Is(err, elffile.ErrNoSection):
		return dwarf.Section{}, nil
	case err != nil:
		return dwarf.Section{}, err
	case part == nil:
		return dwarf.Section{Bytes: data, Unpacked: true}, nil
	}
	return dwarf.Section{Reader: part, Size: uint64(part.Size())}, nil
}

// kept is a source that stays open when dwarf closes it, because it is used again: so compressed sections are decompressed
// only once.
type kept struct {
	source
	mu       sync.Mutex
	sections map[string]dwarf.Section
}

func (k *kept) Section(name string) (dwarf.Section, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if section, ok := k.sections[name]; ok {
		return section, nil
	}
	section, err := k.source.Section(name)
	if err != nil {
		return dwarf.Section{}, err
	}
	if k.sections == nil {
		k.sections = make(map[string]dwarf.Section)
	}
	again := section
	again.Unpacked = false
	k.sections[name] = again
	return section, nil
}

// Close leaves the file open.
func (k *kept) Close() error { return nil }

// Program returns the debug data of the module, in whichever files it is. It may be used while the Files are open. Found
// must be true.
func (f *Files) Program(isCode func(address uint64) bool) dwarf.Program {
	return dwarf.Program{
		Source:    &kept{source: source{f.Debug()}},
		Alternate: f.alternate,
		Split:     f.split,
		IsCode:    isCode,
	}
}

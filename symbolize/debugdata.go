package symbolize

import (
	"errors"

	"github.com/cgoheap/cgoheap/internal/dwarf"
	"github.com/cgoheap/cgoheap/internal/elffile"
)

// debugSource gives the debug sections of an ELF file.
type debugSource struct{ *elffile.File }

// Section leaves a section in the file if it can be read piece by piece there.
func (s debugSource) Section(name string) (dwarf.Section, error) {
	part, data, err := s.SectionParts(name)
	switch {
	case errors.Is(err, elffile.ErrNoSection):
		return dwarf.Section{}, nil
	case err != nil:
		return dwarf.Section{}, err
	case part == nil:
		return dwarf.Section{Bytes: data}, nil
	}
	return dwarf.Section{Reader: part, Size: uint64(part.Size())}, nil
}

// Close leaves the file open: whoever opened the module closes it.
func (s debugSource) Close() error { return nil }

// openDebugData opens the debug data of a file; nil if it has none.
func openDebugData(f *elffile.File, code spans) (*dwarf.Data, error) {
	return dwarf.Open(dwarf.Program{Source: debugSource{f}, IsCode: code.contain})
}

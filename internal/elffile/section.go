package elffile

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrNoSection reports that the file has no such section, or keeps no bytes for it, as separate debug files do for code.
var ErrNoSection = errors.New("no such section")

var errNoSegment = errors.New("no segment holds the address")

// Section is a named part of the file. Size is what the section header says: of the compressed bytes, if they are.
type Section struct {
	Name string
	Addr uint64 // ELF address, 0 if the section is not loaded
	Size uint64
}

// Section returns the first section of that name. A .debug_ name also finds the section under its old compressed name,
// .zdebug_.
func (f *File) Section(name string) (Section, bool) {
	s := f.find(name)
	if s == nil {
		return Section{}, false
	}
	return Section{Name: s.Name, Addr: s.Addr, Size: s.Size}, true
}

// SectionData returns a section's bytes, decompressed. The error wraps ErrNoSection if there are none.
func (f *File) SectionData(name string) ([]byte, error) {
	s := f.find(name)
	if s == nil && f.sectionErr != nil {
		return nil, f.sectionErr
	}
	if s == nil {
		return nil, fmt.Errorf("%s of %s: %w", name, f.name, ErrNoSection)
	}
	data, err := f.content(s)
	if err != nil {
		return nil, fmt.Errorf("reading %s of %s: %w", s.Name, f.name, err)
	}
	return data, nil
}

// SectionParts returns a section to be read piece by piece while the File is open. Only one that is compressed comes as
// bytes, decompressed. The error wraps ErrNoSection if there is no such section.
func (f *File) SectionParts(name string) (part *io.SectionReader, data []byte, err error) {
	s := f.find(name)
	if s == nil {
		data, err = f.SectionData(name)
		return nil, data, err
	}
	if part, data, err = f.parts(s); err != nil {
		return nil, nil, fmt.Errorf("reading %s of %s: %w", s.Name, f.name, err)
	}
	return part, data, nil
}

func (f *File) parts(s *elf.SectionHeader) (part *io.SectionReader, data []byte, err error) {
	if s.Type == elf.SHT_NOBITS || s.Flags&elf.SHF_COMPRESSED != 0 || strings.HasPrefix(s.Name, ".zdebug_") {
		data, err = f.content(s)
		return nil, data, err
	}
	if s.Offset > f.size || s.FileSize > f.size-s.Offset {
		return nil, nil, io.ErrUnexpectedEOF
	}
	return io.NewSectionReader(f.reader, int64(s.Offset), int64(s.FileSize)), nil, nil
}

func (f *File) find(name string) *elf.SectionHeader {
	old := ""
	if rest, ok := strings.CutPrefix(name, ".debug_"); ok {
		old = ".zdebug_" + rest
	}
	for i := range f.sections {
		s := &f.sections[i]
		if s.Type != elf.SHT_NULL && s.Name != "" && (s.Name == name || s.Name == old) {
			return s
		}
	}
	return nil
}

func (f *File) content(s *elf.SectionHeader) ([]byte, error) {
	if s.Type == elf.SHT_NOBITS {
		return nil, fmt.Errorf("it has no bytes in this file: %w", ErrNoSection)
	}
	switch {
	case s.Flags&elf.SHF_COMPRESSED != 0:
		return f.decompress(payload{s.Offset, s.FileSize})
	case strings.HasPrefix(s.Name, ".zdebug_"):
		return f.decompressOld(payload{s.Offset, s.FileSize})
	}
	return f.bytes(s.Offset, s.FileSize)
}

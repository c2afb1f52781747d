package elffile

import (
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
)

// HasDWARF reports whether the file itself holds debug information; it may be broken nevertheless.
func (f *File) HasDWARF() bool {
	s := f.find(".debug_info")
	return s != nil && s.Size > 0 && s.Type != elf.SHT_NOBITS
}

// DWARF reads the debug information. The error wraps ErrNoSection if the file has none. The methods of dwarf.Data may panic
// on hostile input: the caller must recover.
func (f *File) DWARF() (data *dwarf.Data, err error) {
	defer func() {
		if trouble := recover(); trouble != nil {
			data, err = nil, fmt.Errorf("reading DWARF of %s: %v", f.name, trouble)
		}
	}()
	return f.readDWARF()
}

func (f *File) readDWARF() (*dwarf.Data, error) {
	info, err := f.SectionData(".debug_info")
	if err != nil {
		return nil, err
	}
	var sections [4][]byte
	for i, name := range []string{".debug_abbrev", ".debug_line", ".debug_ranges", ".debug_str"} {
		if sections[i], err = f.optional(name); err != nil {
			return nil, err
		}
	}
	d, err := dwarf.New(sections[0], nil, nil, info, sections[1], nil, sections[2], sections[3])
	if err != nil {
		return nil, fmt.Errorf("reading DWARF of %s: %w", f.name, err)
	}
	types, err := f.optional(".debug_types")
	if err != nil {
		return nil, err
	}
	if len(types) > 0 {
		if err := d.AddTypes("types-0", types); err != nil {
			return nil, fmt.Errorf("reading .debug_types of %s: %w", f.name, err)
		}
	}
	for _, name := range []string{".debug_addr", ".debug_line_str", ".debug_str_offsets", ".debug_rnglists"} {
		if err := f.addSection(d, name); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (f *File) addSection(d *dwarf.Data, name string) error {
	data, err := f.optional(name)
	if err != nil || data == nil {
		return err
	}
	return d.AddSection(name, data)
}

// optional returns a section's bytes, nil if it is missing.
func (f *File) optional(name string) ([]byte, error) {
	data, err := f.SectionData(name)
	if errors.Is(err, ErrNoSection) {
		return nil, nil
	}
	return data, err
}

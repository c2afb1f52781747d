package excerpt

import "fmt"

// Module is a file that is loaded in the process.
type Module struct {
	File, BuildID string
}

// Unnamed are the files in which a location could not be named: those of mappings that have locations and are not marked
// as having functions, and that have a build ID.
func (p *Profile) Unnamed() ([]Module, error) {
	used := map[uint64]bool{}
	for _, f := range p.fields {
		if f.number != profileLocation {
			continue
		}
		id, err := numberIn(f.bytes, locationMappingID)
		if err != nil {
			return nil, fmt.Errorf("looking for files without names: %w", err)
		}
		used[id] = true
	}
	var modules []Module
	for _, f := range p.fields {
		if f.number != profileMapping {
			continue
		}
		m, err := p.unnamed(f.bytes, used)
		if err != nil {
			return nil, fmt.Errorf("looking for files without names: %w", err)
		}
		if m.BuildID != "" {
			modules = append(modules, m)
		}
	}
	return modules, nil
}

// unnamed is the module of a mapping, and zero if that is not used or has names.
func (p *Profile) unnamed(mapping []byte, used map[uint64]bool) (Module, error) {
	fields, err := split(mapping)
	if err != nil {
		return Module{}, err
	}
	var m Module
	var id uint64
	for _, f := range fields {
		switch f.number {
		case mappingID:
			id = f.varint
		case mappingFilename:
			m.File = p.text(f.varint)
		case mappingBuildID:
			m.BuildID = p.text(f.varint)
		case mappingHasFunctions:
			if f.varint != 0 {
				return Module{}, nil
			}
		}
	}
	if !used[id] {
		return Module{}, nil
	}
	return m, nil
}

package excerpt

import "fmt"

// Module is a file that is loaded in the process.
type Module struct {
	File, BuildID string
}

// Unnamed returns the files in which a location could not be named: the files of mappings that have locations and are not
// marked as having functions, and that have a build ID.
func (p *Profile) Unnamed() ([]Module, error) {
	damaged := false
	used := map[uint64]bool{}
	for c := (cursor{rest: p.raw}); c.next(); {
		if c.number == profileLocation {
			used[numberIn(c.bytes, locationMappingID, &damaged)] = true
		}
	}
	var modules []Module
	for c := (cursor{rest: p.raw}); c.next(); {
		if c.number != profileMapping {
			continue
		}
		m := p.mapping(c.bytes, &damaged)
		if used[m.id] && !m.named && m.BuildID != "" {
			modules = append(modules, m.Module)
		}
	}
	if damaged {
		return nil, fmt.Errorf("looking for files without names: %w", errDamaged)
	}
	return modules, nil
}

type mapping struct {
	Module
	id    uint64
	named bool // it is marked as having functions
}

func (p *Profile) mapping(message []byte, damaged *bool) (m mapping) {
	for c := (cursor{rest: message, damaged: damaged}); c.next(); {
		switch c.number {
		case mappingID:
			m.id = c.varint
		case mappingFilename:
			m.File = p.text(c.varint)
		case mappingBuildID:
			m.BuildID = p.text(c.varint)
		case mappingHasFunctions:
			m.named = c.varint != 0
		}
	}
	return m
}

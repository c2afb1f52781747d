package symbolize

import (
	"bytes"
	"errors"
	"slices"
)

// debug/dwarf trusts things that a lying file can use to exhaust the process's memory, which no recover survives: the
// counts in a DWARF 5 line header, for which it allocates before it reads; the offsets of abbreviation tables, each of
// which it parses afresh; and strings, which it copies each time an entry refers to them. What is handed to debug/dwarf
// has passed the checks of this file and of lineheader.go first.

var errLying = errors.New("symbolize: debug data is inconsistent")

// checkAbbrevs makes sure that the abbreviation tables at the given offsets do not overlap, so that parsing them all
// costs no more than reading the section once.
func checkAbbrevs(section []byte, offsets []uint64) error {
	slices.Sort(offsets)
	offsets = slices.Compact(offsets)
	for i, offset := range offsets {
		if offset > uint64(len(section)) {
			return errLying
		}
		limit := uint64(len(section))
		if i+1 < len(offsets) && offsets[i+1] < limit {
			limit = offsets[i+1]
		}
		c := cursor{bytes: section[offset:limit]}
		if skipAbbrevs(&c); c.short {
			return errLying
		}
	}
	return nil
}

// The longest strings that are believed: of mangled names, and of paths, as the kernel has it.
const (
	textLimit = 1 << 20
	pathLimit = 1 << 12
)

// checkStrings makes sure that a section of strings has none that is too long.
func checkStrings(section []byte, limit int) error {
	for len(section) > 0 {
		end := bytes.IndexByte(section[:min(len(section), limit)], 0)
		if end < 0 {
			return errLying
		}
		section = section[end+1:]
	}
	return nil
}

const (
	formImplicitConst = 0x21
	attributeLimit    = 1 << 8 // of one entry; compilers give some twenty
)

// skipAbbrevs reads one abbreviation table (7.5.3): code, tag, children, and pairs of attribute and form up to 0, 0.
func skipAbbrevs(c *cursor) {
	for c.leb() != 0 {
		c.leb()
		c.take(1)
		for n := 0; ; n++ {
			attribute, form := c.leb(), c.leb()
			c.short = c.short || n > attributeLimit
			if form == formImplicitConst {
				c.leb()
			}
			if attribute|form == 0 || c.short {
				break
			}
		}
	}
}

package symbolize

import (
	"bytes"
	"errors"
	"slices"
)

// debug/dwarf trusts two things that a lying file can use to exhaust the process's memory, which no recover survives:
// the counts in a DWARF 5 line header, for which it allocates before it reads, and the offsets of abbreviation tables,
// each of which it parses afresh. What is handed to debug/dwarf has passed these checks first.

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

// textLimit bounds one string: debug/dwarf copies it for each entry that refers to it.
const textLimit = 1 << 20

// checkStrings makes sure that .debug_str has no string that is too long.
func checkStrings(section []byte) error {
	for len(section) > 0 {
		end := bytes.IndexByte(section[:min(len(section), textLimit)], 0)
		if end < 0 {
			return errLying
		}
		section = section[end+1:]
	}
	return nil
}

const formImplicitConst = 0x21

// skipAbbrevs reads one abbreviation table (7.5.3): code, tag, children, and pairs of attribute and form up to 0, 0.
func skipAbbrevs(c *cursor) {
	for c.leb() != 0 {
		c.leb()
		c.take(1)
		for {
			attribute, form := c.leb(), c.leb()
			if form == formImplicitConst {
				c.leb()
			}
			if attribute|form == 0 {
				break
			}
		}
	}
}

// checkLineHeader makes sure that a DWARF 5 line table at offset has room for the directories and files that it
// announces.
func checkLineHeader(section []byte, offset int64) error {
	if offset < 0 || offset > int64(len(section)) {
		return errLying
	}
	c := cursor{bytes: section[offset:]}
	length, offsetSize := c.unitLength()
	c.bytes = c.take(length)
	if version := c.number(2); version < 5 && !c.short {
		return nil
	}
	c.take(2 + offsetSize + 5) // address and selector size, header length, and five bytes of parameters
	if opcodeBase := c.number(1); opcodeBase > 0 {
		c.take(opcodeBase - 1)
	}
	for range 2 { // directories, then files
		if !skipEntries(&c, offsetSize) {
			return errLying
		}
	}
	return nil
}

// skipEntries reads the formats and the entries of one of a line header's two tables (6.2.4.1).
func skipEntries(c *cursor, offsetSize uint64) bool {
	forms := make([]uint64, c.number(1))
	for i := range forms {
		c.leb()
		forms[i] = c.leb()
	}
	count := c.leb()
	if c.short || count > uint64(len(c.bytes)) || count > 0 && len(forms) == 0 {
		return false
	}
	for range count {
		before := len(c.bytes)
		for _, form := range forms {
			skipForm(c, form, offsetSize)
		}
		if c.short || len(c.bytes) == before {
			return false
		}
	}
	return true
}

// skipForm skips a value in one of the forms that line headers use. For any other form debug/dwarf reads nothing, and
// so does this.
func skipForm(c *cursor, form, offsetSize uint64) {
	switch form {
	case 0x08: // DW_FORM_string
		c.text()
	case 0x0e, 0x1f, 0x1d: // DW_FORM_strp, line_strp, strp_sup
		c.take(offsetSize)
	case 0x0b, 0x25: // DW_FORM_data1, strx1
		c.take(1)
	case 0x05, 0x26: // DW_FORM_data2, strx2
		c.take(2)
	case 0x27: // DW_FORM_strx3
		c.take(3)
	case 0x06, 0x28: // DW_FORM_data4, strx4
		c.take(4)
	case 0x07: // DW_FORM_data8
		c.take(8)
	case 0x1e: // DW_FORM_data16
		c.take(16)
	case 0x0f, 0x1a: // DW_FORM_udata, strx
		c.leb()
	case 0x09: // DW_FORM_block
		c.take(c.leb())
	}
}

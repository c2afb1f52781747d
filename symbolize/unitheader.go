package symbolize

import "debug/dwarf"

// unitHeader is where a unit that can hold code lies in .debug_info. Units are found here rather than with
// dwarf.Reader, whose SkipChildren recurses as deep as a file likes.
type unitHeader struct {
	root, end dwarf.Offset // the unit's first entry, and where the unit ends
}

// The unit types of DWARF 5 (7.5.1) that are not compile or partial units.
const (
	unitType      = 0x02
	unitSkeleton  = 0x04
	unitSplitType = 0x06
)

// readUnitHeaders lists the units of .debug_info, and the offsets of the abbreviation tables of all of them.
func readUnitHeaders(info []byte) (units []unitHeader, abbrevs []uint64, err error) {
	c := cursor{bytes: info}
	for len(c.bytes) > 0 {
		length, offsetSize := c.unitLength()
		body := cursor{bytes: c.take(length)}
		if c.short {
			return nil, nil, errLying
		}
		if length == 0 {
			continue
		}
		kind, abbrev := readUnitHeader(&body, offsetSize)
		abbrevs = append(abbrevs, abbrev)
		end := dwarf.Offset(len(info) - len(c.bytes))
		if !body.short && kind != unitType && kind != unitSplitType {
			units = append(units, unitHeader{root: end - dwarf.Offset(len(body.bytes)), end: end})
		}
	}
	return units, abbrevs, nil
}

// readUnitHeader reads what follows the length (7.5.1): version, unit type, sizes and the abbreviation table's offset,
// in the order of the version.
func readUnitHeader(c *cursor, offsetSize uint64) (kind, abbrev uint64) {
	if version := c.number(2); version < 5 {
		abbrev = c.number(offsetSize)
		c.take(1) // address size
		return 0, abbrev
	}
	kind = c.number(1)
	c.take(1) // address size
	abbrev = c.number(offsetSize)
	if kind >= unitSkeleton { // and split compile units, with a unit ID
		c.take(8)
	}
	return kind, abbrev
}

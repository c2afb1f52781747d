package dwarf

import (
	"cmp"
	"slices"

	"github.com/cgoheap/cgoheap/internal/scratch"
)

// header is where a unit lies in .debug_info, and how it is written (7.5.1).
type header struct {
	start, entries, end uint64 // of the header, of the first entry, of what follows the unit
	abbrevs             uint64 // the offset of the abbreviation table
	id                  uint64 // of skeleton and split units of DWARF 5
	encoding
	kind unitKind
}

// unitKind is the unit type in the headers of DWARF 5; before, all are unitCompile.
type unitKind uint8

const (
	unitCompile      unitKind = 0x01
	unitType         unitKind = 0x02
	unitPartial      unitKind = 0x03
	unitSkeleton     unitKind = 0x04
	unitSplitCompile unitKind = 0x05
	unitSplitType    unitKind = 0x06
)

// How many units of a file are kept, and how many are looked at, including empty ones and type units. The largest programs
// have some hundred thousand, with what dwz has made of them, and a few million of types.
const (
	unitLimit   = 1 << 21
	headerLimit = 1 << 23
)

// unitSteps is what it costs to look for a unit in another one, with its table of abbreviations and its root.
const unitSteps = 1 << 6

// readHeaders lists the units of the .debug_info section. What follows a damaged header, or too many, is lost, and
// reported.
func (f *file) readHeaders(b *budget) error {
	c := cursor{reach: entryWindow, budget: b}
	c.open(&f.sections[secInfo], 0, f.sections[secInfo].size())
	for count := 0; c.offset() < c.limit; count++ {
		if count == headerLimit || len(f.units) == unitLimit || !b.spend(1) {
			return ErrTooBig
		}
		h := header{start: c.offset()}
		length, offsetSize := c.unitLength()
		h.offsetSize = offsetSize
		if h.end = c.offset() + length; c.short || length > c.limit-c.offset() {
			return errDamaged
		}
		if length > 0 && h.read(&c) && !h.isOfTypes() && !c.short && c.offset() <= h.end {
			h.entries = c.offset()
			f.units = scratch.Append(f.memory, f.units, h)
		}
		c.seek(h.end)
	}
	return nil
}

// read reads what follows the length and reports whether the unit is of a version and a size of addresses that are
// known.
func (h *header) read(c *cursor) bool {
	h.version, h.kind = c.u16(), unitCompile
	if h.version < 5 {
		h.abbrevs = c.number(h.offsetSize)
		h.addressSize = c.u8()
	} else {
		h.kind = unitKind(c.u8())
		h.addressSize = c.u8()
		h.abbrevs = c.number(h.offsetSize)
	}
	if h.kind == unitSkeleton || h.kind == unitSplitCompile {
		h.id = c.u64()
	}
	return h.version >= 2 && h.version <= 5 && (h.addressSize == 4 || h.addressSize == 8)
}

// isOfTypes reports whether the unit holds a type: no code lies in it, and references to it do not use its offset.
func (h *header) isOfTypes() bool { return h.kind == unitType || h.kind == unitSplitType }

// unitAt returns the header of the unit that has an entry at the offset; nil if there is none.
func (f *file) unitAt(offset uint64) *header {
	i, found := slices.BinarySearchFunc(f.units, offset, func(h header, o uint64) int { return cmp.Compare(h.start, o) })
	if !found {
		i--
	}
	if i < 0 || offset < f.units[i].entries || offset >= f.units[i].end {
		return nil
	}
	return &f.units[i]
}

// unit is a unit with what its first entry, the root, says about all others.
type unit struct {
	*header
	file                                        *file
	table                                       *abbrevTable
	tag                                         tag
	children                                    uint64 // where the entries after the root begin
	hasChildren                                 bool
	extent                                      extent
	base                                        uint64 // the address that ranges are relative to
	stmtList                                    value
	directory                                   value
	splitName                                   value
	splitID                                     uint64
	scoped                                      bool // names are joined with "::"
	strBase, addrBase, rnglistsBase, rangesBase uint64
	splitRangesBase                             uint64 // the rangesBase of the split unit of a skeleton
}

// extent is how an entry states which code it describes.
type extent struct{ low, high, ranges value }

// newUnit makes the unit of a header, with the defaults of 7.32: the bases of split units, which do not give any, lie
// behind the headers of their sections.
func newUnit(f *file, h *header) *unit {
	u := makeUnit(f, h)
	return &u
}

func makeUnit(f *file, h *header) unit {
	u := unit{header: h, file: f, splitID: h.id}
	if h.version >= 5 {
		u.strBase, u.addrBase, u.rnglistsBase = 8, 8, 12
		if h.offsetSize == 8 {
			u.strBase, u.addrBase, u.rnglistsBase = 16, 16, 20
		}
	}
	return u
}

// readRoot reads the unit's root with the abbreviation given and leaves the cursor behind it.
func (r *reader) readRoot(u *unit, c *cursor, a *abbrev) {
	u.tag, u.hasChildren = a.tag, a.children
	r.budget.spend(len(a.attrs))
	for _, at := range a.attrs {
		u.takeRoot(at.name, c.value(u.encoding, at.form, at.constant))
	}
	u.children = c.offset()
	if u.extent.low.present() {
		u.base, _ = r.address(u, u.extent.low)
	}
}

func (u *unit) takeRoot(name attrName, v value) {
	switch name {
	case attrLowPC:
		u.extent.low = v
	case attrHighPC:
		u.extent.high = v
	case attrRanges:
		u.extent.ranges = v
	case attrStmtList:
		u.stmtList = v
	case attrCompDir:
		u.directory = v
	case attrLanguage:
		u.scoped = scopedLanguage(v.number)
	case attrStrOffsetsBase:
		u.strBase = v.number
	case attrAddrBase, attrGNUAddrBase:
		u.addrBase = v.number
	case attrRnglistsBase:
		u.rnglistsBase = v.number
	case attrGNURangesBase:
		u.splitRangesBase = v.number
	case attrDwoName, attrGNUDwoName:
		u.splitName = v
	case attrGNUDwoID:
		u.splitID = v.number
	}
}

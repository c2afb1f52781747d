package dwarf

import (
	"math"
	"sync/atomic"
)

// reader is what one goroutine reads the sections of a program with: a cursor for each, and the strings that it has
// already read.
type reader struct {
	cursors [sectionKinds]cursor
	far     cursor // for entries of other units than the one that is walked, and for strings among entries
	roots   cursor // for the first entries of units
	lines   lineTable
	texts   map[textKey]string
	units   map[*header]*unit          // other units that were referred to
	next    unit                       // the one that was looked at last
	own     abbrevTable                // of the unit that is walked
	tables  map[abbrevKey]*abbrevTable // of the other units
	budget  budget
}

func newReader(steps *atomic.Int64) *reader {
	r := &reader{budget: budget{all: steps}}
	for kind := range r.cursors {
		r.cursors[kind].reach, r.cursors[kind].budget = reaches[kind], &r.budget
	}
	r.far.reach, r.roots.reach = entryWindow, entryWindow
	r.far.budget, r.roots.budget = &r.budget, &r.budget
	return r
}

// open sets the cursor of a section to an offset.
func (r *reader) open(f *file, kind sectionKind, offset uint64) *cursor {
	section := &f.sections[kind]
	c := &r.cursors[kind]
	c.open(section, offset, section.size())
	return c
}

// element reads the number at an index of a table that begins at base: false if there is none.
func (r *reader) element(f *file, kind sectionKind, base, index uint64, size uint8) (uint64, bool) {
	if index > math.MaxUint32 {
		return 0, false
	}
	c := r.open(f, kind, base)
	c.skip(index * uint64(size))
	n := c.number(size)
	return n, !c.short
}

// address returns the address that a value means.
func (r *reader) address(u *unit, v value) (uint64, bool) {
	switch {
	case v.form == formAddr:
		return v.number, true
	case v.isAddress():
		return r.element(u.file, secAddr, u.addrBase, v.number, u.addressSize)
	}
	return 0, false
}

// The longest strings that are believed. Mangled names reach tens of kilobytes, and the kernel takes paths of 4096
// bytes.
const (
	nameLimit = 1 << 16
	textCache = 1 << 15 // strings, before they are forgotten
)

type textKey struct {
	section *Section
	offset  uint64
}

// text returns the string that a value means; "" if there is none.
func (r *reader) text(u *unit, v value) string {
	f, kind, offset := u.file, secStr, v.number
	switch v.form {
	case formString:
		return r.inlineText(f, offset)
	case formStrp:
	case formLineStrp:
		kind = secLineStr
	case formStrx, formStrx1, formStrx2, formStrx3, formStrx4, formGNUStrIndex:
		var ok bool
		if offset, ok = r.element(f, secStrOffsets, u.strBase, v.number, u.offsetSize); !ok {
			return ""
		}
	case formGNUStrpAlt, formStrpSup:
		if f = f.other(); f == nil {
			return ""
		}
	default:
		return ""
	}
	return r.sharedText(f, kind, offset)
}

func (r *reader) inlineText(f *file, offset uint64) string {
	r.far.open(&f.sections[secInfo], offset, f.sections[secInfo].size())
	return r.far.text(nameLimit)
}

// sharedText reads a string to which several entries may refer.
func (r *reader) sharedText(f *file, kind sectionKind, offset uint64) string {
	key := textKey{&f.sections[kind], offset}
	if text, ok := r.texts[key]; ok {
		return text
	}
	text := r.open(f, kind, offset).text(nameLimit)
	if r.texts == nil || len(r.texts) >= textCache {
		r.texts = make(map[textKey]string)
	}
	r.texts[key] = text
	return text
}

// unit returns the unit of a header, which something in another unit refers to; nil if it cannot be read.
func (r *reader) unit(f *file, h *header) *unit {
	if u, ok := r.units[h]; ok {
		return u
	}
	if r.units == nil || len(r.units) >= unitCache {
		r.units, r.tables = make(map[*header]*unit), make(map[abbrevKey]*abbrevTable)
	}
	r.budget.spend(unitSteps)
	u := newUnit(f, h)
	key := abbrevKey{f, h.abbrevs, h.encoding}
	if u.table = r.tables[key]; u.table == nil {
		u.table = new(abbrevTable)
		u.table.readTable(r.open(f, secAbbrev, h.abbrevs), key)
		r.tables[key] = u.table
	}
	r.roots.open(&f.sections[secInfo], h.entries, h.end)
	if a := u.table.find(r.roots.uleb()); a != nil && u.table.whole {
		r.readRoot(u, &r.roots, a)
	} else {
		u = nil
	}
	r.units[h] = u
	return u
}

// nextUnit is newUnit for one of which nothing is kept: it lasts until the next call.
func (r *reader) nextUnit(f *file, h *header) *unit {
	r.next = makeUnit(f, h)
	return &r.next
}

// unitCache is how many units are remembered at a time.
const unitCache = 1 << 7

// takeTable reads the abbreviations of the unit that is to be walked.
func (r *reader) takeTable(u *unit) bool {
	u.table = &r.own
	return r.own.readTable(r.open(u.file, secAbbrev, u.abbrevs), abbrevKey{u.file, u.abbrevs, u.encoding})
}

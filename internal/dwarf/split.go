package dwarf

import (
	"errors"
	"io"
)

// ErrOtherUnit reports that a file of split debug data was found that does not hold the unit: it is of another build.
var ErrOtherUnit = errors.New("dwarf: a split unit is not in its file")

// split opens the other part of a skeleton unit; nil if the unit is none, or that part cannot be found. The skeleton is
// then all there is: its lines, and, of some compilers, the functions and inlined calls too.
func (s *search) split(r *reader, skeleton *unit) (*unit, error) {
	if s.program.Split == nil || !skeleton.splitName.present() {
		return nil, nil
	}
	id := SplitUnit{
		ID:        skeleton.splitID,
		Name:      r.text(skeleton, skeleton.splitName),
		Directory: r.text(skeleton, skeleton.directory),
	}
	if !r.budget.spend(openSteps) {
		return nil, ErrTooBig
	}
	source, err := s.program.Split(id)
	if err != nil || source == nil {
		return nil, err
	}
	u, err := s.openSplit(r, skeleton, source)
	if u == nil {
		closeSource(source)
	}
	return u, err
}

// The cost of a file that is opened for one unit: opening it, and decompressing that many bytes of it.
const (
	openSteps     = 1 << 12
	unpackedBytes = 1 << 3
)

// openSplit finds a skeleton's other part in a file.
func (s *search) openSplit(r *reader, skeleton *unit, source Source) (*unit, error) {
	f, err := openFile(source, ".dwo", []sectionKind{secInfo, secAbbrev, secStr, secStrOffsets, secRnglists})
	if err != nil {
		return nil, err
	}
	r.budget.spend(f.unpacked() / unpackedBytes)
	if err := f.selectUnit(source, skeleton.splitID, &r.budget); err != nil {
		return nil, err
	}
	for _, kind := range []sectionKind{secAddr, secRanges, secLine} {
		f.sections[kind] = s.file.sections[kind]
	}
	err = f.readHeaders(&r.budget)
	for i := range f.units {
		if u := r.splitUnit(f, &f.units[i], skeleton); u != nil {
			return u, nil
		}
	}
	if err == nil {
		err = ErrOtherUnit
	}
	return nil, err
}

// splitUnit reads a unit of a split file; nil if it is not the skeleton's.
func (r *reader) splitUnit(f *file, h *header, skeleton *unit) *unit {
	its := h.kind == unitCompile || h.kind == unitSplitCompile && h.id == skeleton.splitID
	if !its || !r.budget.spend(unitSteps) {
		return nil
	}
	u := newUnit(f, h)
	if !r.takeTable(u) {
		return nil
	}
	u.base, u.addrBase, u.rangesBase = skeleton.base, skeleton.addrBase, skeleton.splitRangesBase
	r.roots.open(&f.sections[secInfo], h.entries, h.end)
	a := u.table.find(r.roots.uleb())
	if a == nil || a.tag != tagCompileUnit {
		return nil
	}
	if r.readRoot(u, &r.roots, a); r.roots.short || u.splitID != skeleton.splitID {
		return nil
	}
	return u
}

// The sections of a package, as its index numbers them in both versions (7.3.5.3). The last is new in DWARF 5.
var packageSections = map[uint32]sectionKind{1: secInfo, 3: secAbbrev, 6: secStrOffsets, 8: secRnglists}

// packageLimit is how many units, and kinds of sections, of one package are believed.
const packageLimit = 1 << 24

// selectUnit narrows the sections of a .dwp file to what one unit has contributed to them (7.3.5). A file without an
// index is a .dwo file and is left as it is.
func (f *file) selectUnit(source Source, id uint64, b *budget) error {
	index, err := source.Section(".debug_cu_index")
	if err != nil || index.size() == 0 {
		return err
	}
	c := cursor{reach: entryWindow, budget: b}
	c.open(&index, 0, index.size())
	version := c.u32() & 0xffff // in DWARF 5 the other half is padding
	columns, units, slots := uint64(c.u32()), uint64(c.u32()), uint64(c.u32())
	if c.short || columns > packageLimit || units > packageLimit || slots > packageLimit || slots&(slots-1) != 0 {
		return errDamaged
	}
	row := findSlot(&c, id, slots)
	if row == 0 || row > units {
		f.sections[secInfo] = Section{}
		return nil
	}
	kinds := 16 + slots*12
	for column := range columns {
		if !b.spend(1) {
			return ErrTooBig
		}
		c.seek(kinds + column*4)
		kind, known := packageSections[c.u32()]
		c.seek(kinds + (row*columns+column)*4)
		offset := uint64(c.u32())
		c.seek(kinds + ((row+units)*columns+column)*4)
		size := uint64(c.u32())
		if known && (kind != secRnglists || version >= 5) && !f.sections[kind].narrow(offset, size) || c.short {
			return errDamaged
		}
	}
	return nil
}

// findSlot looks a unit up in the hash table behind the header of an index; 0 if it is not there.
func findSlot(c *cursor, id, slots uint64) (row uint64) {
	mask := slots - 1
	slot, stride := id&mask, id>>32&mask|1
	for range slots {
		if !c.budget.spend(1) {
			return 0
		}
		c.seek(16 + slot*8)
		known := c.u64()
		c.seek(16 + slots*8 + slot*4)
		switch row := uint64(c.u32()); {
		case row == 0 || c.short:
			return 0
		case known == id:
			return row
		}
		slot = (slot + stride) & mask
	}
	return 0
}

// narrow leaves a part of a section, if there is that part.
func (s *Section) narrow(offset, size uint64) bool {
	if offset > s.size() || size > s.size()-offset {
		return false
	}
	if s.Reader == nil {
		s.Bytes = s.Bytes[offset : offset+size]
		return true
	}
	s.Reader, s.Size = io.NewSectionReader(s.Reader, int64(offset), int64(size)), size
	return true
}

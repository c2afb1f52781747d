package dwarf

import "math"

// The kinds of entries in .debug_rnglists (7.25).
const (
	rangeEnd = iota
	rangeBaseIndex
	rangeIndexIndex
	rangeIndexLength
	rangeOffsets
	rangeBase
	rangeStartEnd
	rangeStartLength
)

// ranges calls visit with each address range of an extent that begins in the program's code, until visit returns false.
func (r *reader) ranges(u *unit, x *extent, isCode func(uint64) bool, visit func(low, high uint64) bool) error {
	live := func(low, high uint64) bool {
		return low >= high || !isCode(low) || visit(low, high)
	}
	if low, high, ok := r.contiguous(u, x); ok && !live(low, high) {
		return nil
	}
	switch {
	case !x.ranges.present():
		return nil
	case u.version >= 5:
		return r.rangeList(u, x.ranges, live)
	}
	return r.oldRangeList(u, x.ranges.number+u.rangesBase, live)
}

// contiguous returns the range from a low to a high address, if the entry has these attributes.
func (r *reader) contiguous(u *unit, x *extent) (low, high uint64, ok bool) {
	if !x.low.present() || !x.high.present() {
		return 0, 0, false
	}
	if low, ok = r.address(u, x.low); !ok {
		return 0, 0, false
	}
	if !x.high.isAddress() {
		return low, low + x.high.number, true
	}
	high, ok = r.address(u, x.high)
	return low, high, ok
}

// oldRangeList reads .debug_ranges, which DWARF has before version 5 (DWARF 4, 2.17.3).
func (r *reader) oldRangeList(u *unit, offset uint64, visit func(low, high uint64) bool) error {
	c := r.open(u.file, secRanges, offset)
	newBase := uint64(math.MaxUint64)
	if u.addressSize == 4 {
		newBase = math.MaxUint32
	}
	base := u.base
	for {
		low, high := c.number(u.addressSize), c.number(u.addressSize)
		switch {
		case c.short:
			return errDamaged
		case !r.budget.spend(1):
			return ErrTooBig
		case low == newBase:
			base = high
			continue
		case low == 0 && high == 0 || !visit(base+low, base+high):
			return nil
		}
	}
}

// rangeList reads .debug_rnglists (2.17.3).
func (r *reader) rangeList(u *unit, v value, visit func(low, high uint64) bool) error {
	offset := v.number
	if v.form == formRnglistx {
		relative, ok := r.element(u.file, secRnglists, u.rnglistsBase, v.number, u.offsetSize)
		if !ok {
			return errDamaged
		}
		offset = u.rnglistsBase + relative
	}
	c := r.open(u.file, secRnglists, offset)
	base := u.base
	for {
		low, high, kind := r.rangeEntry(u, c, &base)
		switch {
		case c.short || kind > rangeStartLength:
			return errDamaged
		case !r.budget.spend(1):
			return ErrTooBig
		case kind == rangeBase || kind == rangeBaseIndex:
			continue
		case kind == rangeEnd || !visit(low, high):
			return nil
		}
	}
}

func (r *reader) rangeEntry(u *unit, c *cursor, base *uint64) (low, high uint64, kind uint8) {
	indexed := func() uint64 {
		address, ok := r.element(u.file, secAddr, u.addrBase, c.uleb(), u.addressSize)
		if !ok {
			c.fail()
		}
		return address
	}
	switch kind = c.u8(); kind {
	case rangeBaseIndex:
		*base = indexed()
	case rangeIndexIndex:
		low, high = indexed(), indexed()
	case rangeIndexLength:
		low = indexed()
		high = low + c.uleb()
	case rangeOffsets:
		low, high = *base+c.uleb(), *base+c.uleb()
	case rangeBase:
		*base = c.number(u.addressSize)
	case rangeStartEnd:
		low, high = c.number(u.addressSize), c.number(u.addressSize)
	case rangeStartLength:
		low = c.number(u.addressSize)
		high = low + c.uleb()
	}
	return low, high, kind
}

// cover records which of the wants of a stretch lie in an entry's ranges. Ranges of one entry do not overlap, so there
// cannot be more of them with a want than there are wants.
func (w *walk) cover(e *entry, outer stretch) error {
	if !e.abbrev.hasCode {
		return nil
	}
	limit := len(w.parts) + int(outer.last-outer.first)
	lying := false
	w.budget.spend(1)
	err := w.ranges(w.unit, &e.extent, w.isCode, func(low, high uint64) bool {
		first, last := w.within(low, high, outer)
		if first == last {
			return true
		}
		w.budget.spend(int(last-first) * coverSteps)
		lying = len(w.parts) == limit
		w.parts = append(w.parts, stretch{first, last})
		return !lying
	})
	if lying {
		return errDamaged
	}
	return err
}

// coverSteps is what it costs to note that an entry, or a row, covers a want.
const coverSteps = 1 << 2

// within returns the part of a stretch of the wants whose addresses lie in a range.
func (w *walk) within(low, high uint64, outer stretch) (first, last int32) {
	if outer.first == outer.last || high <= w.wants[outer.first].address || low > w.wants[outer.last-1].address {
		return 0, 0
	}
	first = max(outer.first, int32(w.lower(low)))
	last = first
	for last < outer.last && w.wants[last].address < high {
		last++
	}
	return first, last
}

// lower returns the index of the first want at an address or after it.
func (w *walk) lower(address uint64) int {
	low, high := 0, len(w.wants)
	for low < high {
		if middle := (low + high) / 2; w.wants[middle].address < address {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

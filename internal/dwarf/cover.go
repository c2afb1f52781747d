package dwarf

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

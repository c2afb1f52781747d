package account

// Three figures divide the memory of malloc; each covers a part:
//
//	memory of malloc    blocks in use   │ headers,  │ in use, not │ free
//	resident, counted   that are        │ rounding  │ recorded    │
//	                    recorded        │ by a rule │             │
//	                    └───── what the allocator counts as in use ─┘
//
// The allocator reports how much is free and resident, or at least how much is in use; the remainder is the fourth part. If
// it reports neither, the last two are one line. An estimate that exceeds the memory is cut down to it; if every allocation
// is recorded, only the allocator's figure can be that estimate.

// mallocLines returns how much of the unknown memory must be malloc's: recorded blocks for which there is no room in the
// ranges that are known to be malloc's, and those that the program reported there.
func (v *Survey) mallocLines(a *Account, r Recorded, unknown Size) (taken Size) {
	memory := v.of(allocator, anonymous, brk, mainStack)
	memory.plus(v.of(nobody, brk))
	if v.maps == nil {
		outside := v.reportedOutside()
		taken.Resident = min(unknown.Resident, max(outside, r.Resident+r.Overhead-memory.Resident))
		memory.plus(taken)
	} else {
		memory.Resident = max(memory.Resident, r.Resident+r.Overhead, v.figures(r))
	}
	free, freeKnown := v.freeOf(memory.Resident, r)
	inUse := memory.Resident - free
	native, overhead := shrink(r.Resident, r.Overhead, inUse)
	other := inUse - native - overhead

	known := Estimate
	if r.Exact {
		known = Counted
	}
	a.add(Native, known, Size{native, min(memory.Swapped, r.Swapped)})
	a.add(Overhead, Estimate, Size{Resident: overhead})
	rest := Size{other, max(0, memory.Swapped-r.Swapped)}
	name := FreeOrNot
	if freeKnown {
		name = Unrecorded
		a.add(Free, v.knownFree(), Size{Resident: free})
	}
	if l := a.add(name, Rest, rest); len(v.malloc) > 0 && Rounding(v.malloc) == nil {
		l.Sentence += "; and what the allocator adds to sizes, by a rule that is not known here"
	}
	return taken
}

// figures returns how much memory malloc has by the allocators' own figures, where the pages of its memory could not be looked up.
func (v *Survey) figures(r Recorded) int64 {
	var inUse, free uint64
	for i := range v.malloc {
		m := &v.malloc[i]
		if v.blind == nil && len(m.Ranges) > 0 {
			continue
		}
		if inUse += m.InUse; m.HasResidency {
			free += m.FreeResident
		} else {
			free += m.Free
		}
	}
	if inUse+free == 0 {
		return 0
	}
	untouched := max(0, r.Bytes-r.Resident)
	return max(int64(inUse)-untouched, r.Resident+r.Overhead) + int64(free)
}

// freeOf returns how much of malloc's resident memory is free; known is false if an allocator does not report it.
func (v *Survey) freeOf(memory int64, r Recorded) (free int64, known bool) {
	var counted, inUse uint64
	residency, figures := len(v.malloc) > 0, len(v.malloc) > 0
	for i := range v.malloc {
		m := &v.malloc[i]
		residency, figures = residency && m.HasResidency, figures && m.HasFigures
		counted += m.FreeResident
		inUse += m.InUse
	}
	switch {
	case residency && r.Exact:
		return min(int64(counted), max(0, memory-r.Resident-r.Overhead)), true
	case residency:
		return min(memory, int64(counted)), true
	case figures:
		untouched := max(0, r.Bytes-r.Resident)
		return min(memory, max(0, memory-max(int64(inUse)-untouched, r.Resident+r.Overhead))), true
	}
	return 0, false
}

// shrink scales two numbers down, by the same factor, until their sum is at most a number.
func shrink(a, b, most int64) (int64, int64) {
	if a+b <= most {
		return a, b
	}
	if a+b <= 0 {
		return 0, 0
	}
	a = int64(float64(a) / float64(a+b) * float64(most))
	return a, most - a
}

// knownFree says how it is known what malloc has free.
func (v *Survey) knownFree() Known {
	for i := range v.malloc {
		if v.malloc[i].Estimated() {
			return Estimate
		}
	}
	return Figures
}

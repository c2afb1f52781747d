package account

import (
	"math"
	"slices"
)

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
//
// Where there was no time to read all of an allocator's memory, the part that was read need not be like the rest: old blocks lie
// together. So what is free is not estimated from it. The recorded blocks are known everywhere. Only what is in use and not recorded is
// estimated: as if the rest had as much of it as the part. The remainder of the memory is free.

// mallocLines returns how much of the unknown memory must be malloc's: recorded blocks for which there is no room in the
// ranges that are known to be malloc's, and those that the program reported there.
func (v *Survey) mallocLines(a *Account, r Recorded, unknown Size) (taken Size) {
	if len(v.malloc) > 1 {
		r.Overhead = 0 // by the rule of one of them
	}
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
	a.add(Native, known, Size{native, min(memory.Swapped, r.Swapped)}).Error = r.Error
	a.add(Overhead, Estimate, Size{Resident: overhead})
	rest := Size{other, max(0, memory.Swapped-r.Swapped)}
	name := FreeOrNot
	if freeKnown {
		name = Unrecorded
		l := a.add(Free, v.knownFree(), Size{Resident: free})
		if slices.ContainsFunc(v.malloc, partlyRead) {
			l.Error = r.Error // it is what the recorded blocks leave
		}
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
	case residency && slices.ContainsFunc(v.malloc, partlyRead):
		return v.freeOfParts(memory, r), true
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

func partlyRead(m Malloc) bool { return len(m.Read) > 0 }

// freeOfParts returns how much is free if an allocator's memory was read in part, and corrects the allocator's figures by it.
func (v *Survey) freeOfParts(memory int64, r Recorded) int64 {
	var others, estimated, unrecorded int64
	for i := range v.malloc {
		if m := &v.malloc[i]; partlyRead(*m) {
			estimated += int64(m.FreeResident)
			unrecorded += int64(float64(max(0, int64(m.InUseRead)-r.InRead-r.doubt())) / m.ShareRead)
		} else {
			others += int64(m.FreeResident)
		}
	}
	free := max(0, memory-r.Resident-r.Overhead-unrecorded-others)
	sum := others
	for i := range v.malloc {
		if m := &v.malloc[i]; partlyRead(*m) {
			m.correct(free, estimated)
			sum += int64(m.FreeResident)
		}
	}
	return min(memory, sum)
}

// doubt is two standard deviations of InRead if that is sampled. The variance of such a sum is the sum times the interval.
func (r *Recorded) doubt() int64 {
	if r.Exact {
		return 0
	}
	return int64(2 * math.Sqrt(float64(r.InRead)*float64(r.Interval)))
}

// correct replaces what is free by a share of so many bytes: as large as it has of all that was estimated.
func (m *Malloc) correct(free, estimated int64) {
	arenas := m.ByArena
	m.ByArena = nil
	if estimated == 0 { // there was none where was read
		m.InUse, m.FreeResident = less(m.InUse, uint64(free)), uint64(free)
		return
	}
	m.InUse, m.Free, m.FreeResident, m.Trimmable, m.Pinned = 0, 0, 0, 0, 0
	factor := float64(free) / float64(estimated)
	var passed, given uint64
	for _, a := range arenas {
		passed += a.FreeResident
		share := uint64(math.Round(float64(passed)*factor)) - given // so the shares add up
		given += share
		a.scale(factor, share)
		m.AddArena(a)
	}
}

// scale multiplies what is free, of which so much is then resident. What is in use becomes less by as much as there is more.
func (a *Arena) scale(factor float64, resident uint64) {
	of := func(n uint64) uint64 { return uint64(float64(n) * factor) }
	all := a.InUse + a.FreeResident
	a.Free, a.FreeResident, a.Trimmable, a.Pinned = of(a.Free), resident, of(a.Trimmable), of(a.Pinned)
	a.InUse = less(all, a.FreeResident)
}

// less returns the difference, 0 if it is negative.
func less(a, b uint64) uint64 { return a - min(a, b) }

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

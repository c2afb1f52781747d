//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"maps"
	"slices"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/stack"
)

// resided are mappings, and what was found in each.
type resided struct {
	list  []Mapping
	found []account.ByLine
}

// survey looks up all pages of the process, with what recorded calls have mapped. It returns the mappings of before and those that
// have come meanwhile. A Call of 0 means that what was counted there may have been another call's, so it has no stack. Without a list
// of calls it returns none.
func (r *Recording) survey(k usage.Kernel, s *account.Sources, h account.Holding, memory *scratch.Memory) (*account.Survey, []resided) {
	lost, asOf := lostMapped(), lastMapped()
	before, err := r.mapped(memory)
	if err != nil {
		return account.Take(k, s, memory), nil
	}
	h.Learn(before, callSite)
	s.Malloc = slices.Concat(s.Malloc, silent(&h, cgo.BroughtAllocators()))
	s.Mapped = make([]account.Mapped, len(before))
	for i := range before {
		h.Attribute(&before[i], callSite)
		s.Mapped[i] = before[i].Mapped
	}
	s.Fits = func(i int, shared, inode bool) bool { return before[i].Fits(shared, inode) }
	s.Calls, s.AsOf = lastMapped, asOf
	v := account.Take(k, s, memory)
	v.Unsure = v.Unsure || lostMapped() != lost
	return v, []resided{{before, v.Mapped}, r.settleLate(v, before, &h, memory)}
}

// settleLate attributes the pages that were put off. If the survey is unsure, mappings of before it lose their Call, unless they
// are still there.
func (r *Recording) settleLate(v *account.Survey, before []Mapping, h *account.Holding, memory *scratch.Memory) (late resided) {
	if !v.Late() && !v.Unsure {
		return late
	}
	after, err := r.mappedRanges(memory)
	if err != nil {
		after = nil
	}
	defer scratch.ReleaseSlice(memory, after)
	if v.Unsure {
		account.KeepSame(before, after, func(m *cgo.Mapped) (account.Range, uint64) {
			return account.Range{Start: m.Start, Limit: m.Limit}, m.Call
		})
	}
	of := func(i int) Mapping {
		m := mappingOf(&after[i])
		h.Attribute(&m, callSite)
		return m
	}
	found := v.Settle(len(after), func(i int) account.Mapped { return of(i).Mapped }, func(i int, shared, inode bool) bool {
		m := of(i)
		return m.Fits(shared, inode)
	})
	for _, i := range slices.Sorted(maps.Keys(found)) {
		late.list, late.found = append(late.list, of(i)), append(late.found, *found[i])
	}
	return late
}

// lastMapped returns the number of the last event of a call that maps or unmaps. Tests replace it, to change memory between looks.
var lastMapped = func() uint64 { return region().Load64(region().Load64(layout.HeaderMapped) + layout.MappedTableTail) }

// lostMapped returns how many such events were lost: they have no number.
func lostMapped() uint64 {
	for i, c := range layout.Counters {
		if c.Name == "lost_mapped" {
			return cgo.Counted(i)
		}
	}
	return 0
}

// mappedSamples returns what is resident of the program's mappings, one sample for each stack, by the line of the account.
func (r *Recording) mappedSamples(all []resided) map[string][]stack.Sample {
	var samples account.CallSamples
	for _, some := range all {
		r.addFrames(some.list)
		for i := range some.list {
			samples.Add(&some.list[i], &some.found[i])
		}
	}
	return samples.ByLine
}

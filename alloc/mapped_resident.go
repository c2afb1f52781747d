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
func (r *Recording) survey(k usage.Kernel, s *account.Sources, h holding, memory *scratch.Memory) (*account.Survey, []resided) {
	lost, asOf := lostMapped(), lastMapped()
	before, err := r.mapped(memory)
	if err != nil {
		return account.Take(k, s, memory), nil
	}
	h.learn(before, callSite)
	s.Malloc = slices.Concat(s.Malloc, h.silent(cgo.BroughtAllocators()))
	s.Mapped = make([]account.Mapped, len(before))
	for i := range before {
		h.attribute(&before[i], callSite)
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
func (r *Recording) settleLate(v *account.Survey, before []Mapping, h *holding, memory *scratch.Memory) (late resided) {
	if !v.Late() && !v.Unsure {
		return late
	}
	after, err := r.mappedRanges(memory)
	if err != nil {
		after = nil
	}
	defer scratch.ReleaseSlice(memory, after)
	if v.Unsure {
		keepSame(before, after, func(m *cgo.Mapped) (account.Range, uint64) {
			return account.Range{Start: m.Start, Limit: m.Limit}, m.Call
		})
	}
	of := func(i int) Mapping {
		m := mappingOf(&after[i])
		h.attribute(&m, callSite)
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

// keepSame sets the Call of mappings to 0 that are not in a later list. Both are in the order of addresses.
func keepSame[M any](before []Mapping, after []M, of func(*M) (account.Range, uint64)) {
	for i := range before {
		b, same := &before[i], false
		for ; len(after) > 0 && !same; after = after[1:] {
			r, call := of(&after[0])
			if r.Start > b.Start {
				break
			}
			same = r == b.Range && call == b.Call
		}
		if !same {
			b.Call = 0
		}
	}
}

// rangeAndCall are what must be the same.
func rangeAndCall(m *Mapping) (account.Range, uint64) { return m.Range, m.Call }

// mappedSamples returns what is resident of the program's mappings, one sample for each stack, by the line of the account.
func (r *Recording) mappedSamples(all []resided) map[string][]stack.Sample {
	samples, index := make(map[string][]stack.Sample), make(map[mappedBy]int)
	for _, some := range all {
		r.addFrames(some.list)
		for i := range some.list {
			if m := &some.list[i]; m.Call != 0 && len(m.Frames) > 0 {
				addMapped(samples, index, m, &some.found[i])
			}
		}
	}
	return samples
}

// addMapped adds what is resident of a mapping. index has where each line's samples have each stack.
func addMapped(samples map[string][]stack.Sample, index map[mappedBy]int, m *Mapping, found *account.ByLine) {
	for _, part := range []struct {
		line string
		account.Size
	}{{account.MappedBy, found.Anonymous}, {account.Files, found.Files}, {account.Shared, found.Shared}} {
		if part.Resident == 0 {
			continue
		}
		key := mappedBy{part.line, m.ID}
		at, known := index[key]
		if !known {
			at = len(samples[part.line])
			index[key] = at
			samples[part.line] = append(samples[part.line], stack.Sample{Frames: m.Frames, BlockSize: stack.MixedSizes})
		}
		samples[part.line][at].Add(stack.Values{InuseObjects: 1, InuseBytes: part.Resident})
	}
}

// mappedBy is a line of the account and a stack of calls that map memory.
type mappedBy struct {
	line  string
	stack uint64
}

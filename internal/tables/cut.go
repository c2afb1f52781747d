package tables

import (
	"fmt"
	"strings"

	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/stack"
)

// The number of cut stacks does not show how much of a profile they are: one of them may hold half of the bytes. So the
// bytes of the samples are added up by the reason why their stacks end, except at the root.

// Cut returns a counter for each reason why a stack can end early: the bytes in use in the samples whose stacks do.
func (s *Samples) Cut() []stack.Loss {
	all, by := s.byEnd()
	var list []stack.Loss
	for end, b := range by[1:] {
		list = append(list, cutLoss(layout.Counters[layout.CountEnd+1+end], b, all))
	}
	return list
}

// cutLoss is named after the counter of stacks with the same end: stacks_cut_depth has bytes_cut_depth.
func cutLoss(c layout.Counter, b, all endBytes) stack.Loss {
	return stack.Loss{
		Name:  strings.Replace(c.Name, "stacks_", "bytes_", 1),
		Count: uint64(max(b.inUse, 0)),
		Sentence: fmt.Sprintf("bytes in use, %.1f %% of all, and %d allocated, %.1f %% of all, in %s",
			percent(b.inUse, all.inUse), b.allocated, percent(b.allocated, all.allocated), c.Sentence),
	}
}

func percent(part, of int64) float64 {
	if of <= 0 {
		return 0
	}
	return 100 * float64(part) / float64(of)
}

// endBytes are bytes in use and bytes allocated.
type endBytes struct{ inUse, allocated int64 }

// byEnd returns the sums of all samples, and of those whose stacks end for each reason: the numbers of C's enum end.
func (s *Samples) byEnd() (all endBytes, by [layout.Ends]endBytes) {
	for i := range s.records {
		r := &s.records[i]
		all.add(&r.Values)
		if end := int(s.stacks.list[r.stack].end); end < len(by) {
			by[end].add(&r.Values)
		}
	}
	return all, by
}

func (b *endBytes) add(v *stack.Values) {
	b.inUse += v.InuseBytes
	b.allocated += v.AllocBytes
}

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"fmt"
	"strings"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/stack"
)

// The number of cut stacks does not show how much of a profile they are: one of them may hold half of the bytes. So the
// bytes of the samples are added up by the reason why their stacks end, except at the root.

// cutBytes returns a counter for each reason why a stack can end early: the bytes in use in the samples whose stacks do.
func cutBytes(samples *tables.Samples) []stack.Loss {
	all, by := samples.ByEnd()
	var list []stack.Loss
	for end, b := range by[1:] {
		list = append(list, cutLoss(cgo.Counters()[layout.CountEnd+1+end], b, all))
	}
	return list
}

// cutLoss is named after the counter of stacks with the same end: stacks_cut_depth has bytes_cut_depth.
func cutLoss(c cgo.Counter, b, all tables.Bytes) stack.Loss {
	return stack.Loss{
		Name:  strings.Replace(c.Name, "stacks_", "bytes_", 1),
		Count: uint64(max(b.InUse, 0)),
		Sentence: fmt.Sprintf("bytes in use, %.1f %% of all, and %d allocated, %.1f %% of all, in %s",
			percent(b.InUse, all.InUse), b.Allocated, percent(b.Allocated, all.Allocated), c.Sentence),
	}
}

func percent(part, of int64) float64 {
	if of <= 0 {
		return 0
	}
	return 100 * float64(part) / float64(of)
}

// cutNow returns cutBytes of what has been recorded until now.
func (r *Recording) cutNow() []stack.Loss {
	var memory scratch.Memory
	defer memory.Free()
	read := r.reader(&memory)
	r.settle()
	return cutBytes(read.Settled())
}

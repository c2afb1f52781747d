//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"fmt"
	"strings"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/stack"
)

// A count of stacks that were cut says little about a profile: one of them may hold half of the bytes. So the bytes of the
// samples are added up by the end of their stacks, for each end but the root.

// cutBytes returns a counter for each reason why a stack can end early: the bytes in use in the samples whose stacks do.
func cutBytes(in *stacks, samples []record) []stack.Loss {
	var all stack.Values
	by := make([]stack.Values, cgo.Ends)
	for i := range samples {
		v := &samples[i].Values
		end := int(in.list[samples[i].stack].end)
		addBytes(&all, v)
		if end < len(by) {
			addBytes(&by[end], v)
		}
	}
	var list []stack.Loss
	for end, v := range by[1:] {
		list = append(list, cutLoss(cgo.Counters()[cgo.CountEnd+1+end], v, all))
	}
	return list
}

func addBytes(to, v *stack.Values) {
	to.InuseBytes += v.InuseBytes
	to.AllocBytes += v.AllocBytes
}

// cutLoss is named after the counter of stacks with the same end: stacks_cut_depth has bytes_cut_depth.
func cutLoss(c cgo.Counter, v, all stack.Values) stack.Loss {
	return stack.Loss{
		Name:  strings.Replace(c.Name, "stacks_", "bytes_", 1),
		Count: uint64(max(v.InuseBytes, 0)),
		Sentence: fmt.Sprintf("bytes in use, %.1f %% of all, and %d allocated, %.1f %% of all, in %s",
			percent(v.InuseBytes, all.InuseBytes), v.AllocBytes, percent(v.AllocBytes, all.AllocBytes), c.Sentence),
	}
}

func percent(part, of int64) float64 {
	if of <= 0 {
		return 0
	}
	return 100 * float64(part) / float64(of)
}

// cutNow is cutBytes of what has been recorded until now.
func (r *Recording) cutNow() []stack.Loss {
	var memory scratch.Memory
	defer memory.Free()
	read := newReader(r.options.MaxDepth, r.options.Seed, &memory)
	r.settle()
	return cutBytes(&read.stacks, read.samples(settled))
}

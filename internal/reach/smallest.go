//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package reach

import (
	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/gospans"
	"github.com/cgoheap/cgoheap/internal/scratch"
)

// InSmallest reports whether the address of a block, or of the first recorded block that leads to it, lies in one of the smallest objects
// of Go's. Such an object may be in use no more, although Go keeps it.
func (f *Findings) InSmallest(i int) bool { return f.smallest != nil && f.smallest[i] == yes }

// What is known of a block.
const (
	_ uint8 = iota
	asked
	no
	yes
)

// findSmallest asks in for each block whose chain begins in Go's heap.
func (f *Findings) findSmallest(memory *scratch.Memory, in func(address uint64) bool) {
	f.smallest = scratch.Slice[uint8](memory, max(len(f.found), leastFound))[:len(f.found)]
	for i := range f.found {
		at := i
		for f.smallest[at] == 0 && f.found[at].Through != 0 {
			f.smallest[at] = asked
			at = int(f.found[at].Through) - 1
		}
		known := f.smallest[at]
		if known <= asked { // what two copies found may be a ring
			known = no
			if f.found[at].Through == 0 && mayBeForgotten(&f.found[at]) && in(f.found[at].Holder) {
				known = yes
			}
			f.smallest[at] = known
		}
		for at = i; f.smallest[at] == asked; at = int(f.found[at].Through) - 1 {
			f.smallest[at] = known
		}
	}
}

// mayBeForgotten reports whether something keeps the object of Go's that the chain to a block begins in. What only a finalizer keeps is said to be
// kept by it.
func mayBeForgotten(f *cgo.TwinFound) bool {
	switch f.Root &^ cgo.TwinRootInGo {
	case cgo.TwinRootFinalizer, cgo.TwinRootCycle, cgo.TwinRootGarbage:
		return false
	}
	return f.Holder != 0
}

// smallestIn asks a layout of Go's heap once for each of its pages.
func smallestIn(l gospans.Layout) func(address uint64) bool {
	known := make(map[uint64]bool)
	return func(address uint64) bool {
		page := address / gospans.PageBytes
		has, seen := known[page]
		if !seen {
			has = l.HasSmallest(address)
			known[page] = has
		}
		return has
	}
}

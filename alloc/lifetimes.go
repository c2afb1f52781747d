//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"slices"
	"time"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/stack"
)

// Lifetimes are what ShortLived can be asked for: blocks are counted by how long they lived in these classes, not one by
// one.
func Lifetimes() []time.Duration { return cgo.Lifetimes() }

// ShortLived is what was allocated since Start and freed within a time, which must be one of Lifetimes; nothing in it is
// in use. Times are measured to about 30 ms. ErrStopped after Stop.
func (r *Recording) ShortLived(within time.Duration) (*Snapshot, error) {
	classes := slices.Index(Lifetimes(), within) + 1
	return r.snapshot(func(read *reader) []stack.Sample {
		return read.samples(func(site uint64) stack.Values { return freedIn(site, classes) })
	})
}

// freedIn is what a site freed in the first classes of lifetimes.
func freedIn(site uint64, classes int) (v stack.Values) {
	ref := load32(site + uint64(cgo.SiteLifetimes))
	if ref == 0 {
		return v
	}
	var sum weight
	for i := range classes {
		sum = sum.plus(loadWeight(uint64(ref)*refUnit + uint64(cgo.LifetimesBase) + uint64(i)*cgo.WeightSize))
	}
	v.AllocObjects, v.AllocBytes = sum.rounded()
	return v
}

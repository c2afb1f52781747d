//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"math/bits"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/stack"
)

// weight is a sum of struct weight: objects in units of 2^-16, bytes in units of 2^-4.
type weight struct {
	objects, bytes uint64
}

func (w weight) minus(v weight) weight { return weight{w.objects - v.objects, w.bytes - v.bytes} }

func (w weight) plus(v weight) weight { return weight{w.objects + v.objects, w.bytes + v.bytes} }

// rounded are the numbers of a profile for blocks of a size. Where all have one size, their number tells the bytes: bytes
// are summed only where sizes are mixed. Less than nothing, by blocks that are under way, is nothing.
func (w weight) rounded(size uint64) (objects, bytes int64) {
	if int64(w.objects) < 0 || int64(w.bytes) < 0 {
		return 0, 0
	}
	if size != cgo.SiteMixed {
		high, low := bits.Mul64(w.objects, size)
		w.bytes = high<<52 | low>>12
	}
	return rounded(w.objects, 16), rounded(w.bytes, 4)
}

func rounded(v uint64, bits uint) int64 { return int64((v + 1<<(bits-1)) >> bits) }

// flow is what a profile tells of a site.
type flow struct {
	allocated, inUse weight
}

func (f flow) plus(g flow) flow { return flow{f.allocated.plus(g.allocated), f.inUse.plus(g.inUse)} }

func (f flow) values(size uint64) (v stack.Values) {
	v.AllocObjects, v.AllocBytes = f.allocated.rounded(size)
	v.InuseObjects, v.InuseBytes = f.inUse.rounded(size)
	return v
}

// settled is what a site allocated until the last settle, and what of it was in use then.
func settled(site uint64) flow {
	allocated := measured(site, func(m uint64) uint64 { return loadTally(flowAt(site, m) + uint64(cgo.FlowAllocated)) })
	freed := measured(site, func(m uint64) uint64 { return loadTally(flowAt(site, m) + uint64(cgo.FlowFreed)) })
	return flow{allocated, allocated.minus(freed).minus(freedWithin(site, len(cgo.Lifetimes())))}
}

// freedWithin is what a site freed in the first classes of lifetimes, until the last settle.
func freedWithin(site uint64, classes int) weight {
	ref := load32(site + uint64(cgo.SiteLifetimes))
	if ref == 0 {
		return weight{}
	}
	all := uint64(len(cgo.Lifetimes()))
	return measured(site, func(m uint64) (sum uint64) {
		for class := range uint64(classes) {
			sum += loadTally(uint64(ref)*refUnit + (m*all+class)*cgo.TallySize)
		}
		return sum
	})
}

// flowAt is where a site keeps a measure: 0 for objects, 1 for bytes.
func flowAt(site, measure uint64) uint64 { return site + cgo.SiteFlows + measure*cgo.FlowSize }

// measured reads the measures that a site counts.
func measured(site uint64, of func(measure uint64) uint64) weight {
	w := weight{objects: of(0)}
	if load64(site+uint64(cgo.SiteSize)) == cgo.SiteMixed {
		w.bytes = of(1)
	}
	return w
}

// loadTally is a tally's sum at the last settle.
func loadTally(at uint64) uint64 {
	at += uint64(cgo.TallySettled)
	return load64(at) + load64(at+8)
}

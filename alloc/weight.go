//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/stack"
)

// weight is a sum of struct weight: objects in units of 2^-16, bytes in units of 2^-4.
type weight struct {
	objects, bytes amount
}

func (w weight) plus(v weight) weight {
	return weight{w.objects.plus(v.objects), w.bytes.plus(v.bytes)}
}

// flow is what a profile tells of a site.
type flow struct {
	allocated, inUse weight
}

func (f flow) plus(g flow) flow { return flow{f.allocated.plus(g.allocated), f.inUse.plus(g.inUse)} }

func (f flow) values(size uint64, r rounding) (v stack.Values) {
	v.AllocObjects, v.AllocBytes = r.numbers(f.allocated, size)
	v.InuseObjects, v.InuseBytes = r.numbers(f.inUse, size)
	return v
}

// settled is what a site allocated until the last settle, and what of it was in use then. Words wrap; what is in use is their
// difference, which fits in one.
func settled(site uint64) flow {
	return flow{
		allocated: measured(site, func(m uint64) amount { return loadTally(flowAt(site, m) + uint64(cgo.FlowAllocated)) }),
		inUse: measured(site, func(m uint64) amount {
			allocated := loadTally(flowAt(site, m) + uint64(cgo.FlowAllocated))
			return signed(allocated.low - freedOf(site, m, lifetimeClasses).low)
		}),
	}
}

// lifetimeClasses are all classes of lifetimes, with that of the longest and of those not known.
var lifetimeClasses = len(cgo.Lifetimes()) + 1

// freedWithin is what a site freed in the first classes of lifetimes, until the last settle: its own class and others,
// each of which has a record.
func freedWithin(site uint64, classes int) weight {
	return measured(site, func(m uint64) amount { return freedOf(site, m, classes) })
}

func freedOf(site, measure uint64, classes int) (sum amount) {
	if own := load8(site + uint64(cgo.SiteClass)); int(own) <= classes {
		sum = loadTally(flowAt(site, measure) + uint64(cgo.FlowFreed))
	}
	ref := load32(site + uint64(cgo.SiteLifetimes))
	for n := 0; ref != 0 && n < lifetimeClasses; n++ {
		at := uint64(ref) * refUnit
		if load32(at+uint64(cgo.LifetimeClass)) < uint32(classes) {
			sum = sum.plus(loadTally(at + cgo.LifetimeFreed + measure*cgo.TallySize))
		}
		ref = load32(at + uint64(cgo.LifetimeNext))
	}
	return sum
}

// flowAt is where a site keeps a measure: 0 for objects, 1 for bytes.
func flowAt(site, measure uint64) uint64 { return site + cgo.SiteFlows + measure*cgo.FlowSize }

// measured reads the measures that a site counts.
func measured(site uint64, of func(measure uint64) amount) weight {
	w := weight{objects: of(0)}
	if load64(site+uint64(cgo.SiteSize)) == cgo.SiteMixed {
		w.bytes = of(1)
	}
	return w
}

// loadTally is a tally's sum at the last settle: two words, and how often each has wrapped.
func loadTally(at uint64) amount {
	running, at := at, at+uint64(cgo.TallySettled)
	one, other := amount{carried(running), load64(at)}, amount{carried(running + 8), load64(at + 8)}
	return one.plus(other)
}

// carried is how often a word had wrapped at the last settle.
func carried(word uint64) uint64 {
	for i := range uint64(cgo.Carries) {
		switch at := uint64(cgo.HeaderCarries) + i*cgo.CarrySize; load64(at + uint64(cgo.CarryWord)) {
		case 0:
			return 0
		case word:
			return uint64(load32(at + uint64(cgo.CarrySettled)))
		}
	}
	return 0
}

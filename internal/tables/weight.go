package tables

import (
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/stack"
)

// Weight is a sum of struct weight: objects in units of 2^-16, bytes in units of 2^-4.
type Weight struct {
	Objects, Bytes Amount
}

func (w Weight) plus(v Weight) Weight {
	return Weight{w.Objects.Plus(v.Objects), w.Bytes.Plus(v.Bytes)}
}

// flow is what a profile shows of a site.
type flow struct {
	allocated, inUse Weight
}

func (f flow) values(size uint64, r rounding) (v stack.Values) {
	v.AllocObjects, v.AllocBytes = r.numbers(f.allocated, size)
	v.InuseObjects, v.InuseBytes = r.numbers(f.inUse, size)
	return v
}

// settled returns what a site had allocated by the last settle, and what of it was in use then. Words wrap; in use is their
// difference, which fits in one word.
func (g Region) settled(site uint64) flow {
	return flow{
		allocated: g.measured(site, func(m uint64) Amount { return g.loadTally(flowAt(site, m) + layout.FlowAllocated) }),
		inUse: g.measured(site, func(m uint64) Amount {
			allocated := g.loadTally(flowAt(site, m) + layout.FlowAllocated)
			return signed(allocated.Low - g.freedOf(site, m, lifetimeClasses).Low)
		}),
	}
}

// atPeak returns what a site had in use at the peak that is held.
func (g Region) atPeak(site uint64) flow {
	return flow{inUse: g.measured(site, func(m uint64) Amount {
		return signed(g.Load64(site + layout.SitePeaks + layout.PeakThen + m*layout.SizeofPeak))
	})}
}

// lifetimeClasses is the number of classes of lifetimes, including the one for the longest and the unknown.
const lifetimeClasses = layout.Lifetimes + 1

// freedWithin returns what a site freed in the first classes of lifetimes, until the last settle: its own class and others,
// each of which has a record.
func (g Region) freedWithin(site uint64, classes int) flow {
	return flow{allocated: g.measured(site, func(m uint64) Amount { return g.freedOf(site, m, classes) })}
}

func (g Region) freedOf(site, measure uint64, classes int) (sum Amount) {
	if own := g.load8(site + layout.SiteClass); int(own) <= classes {
		sum = g.loadTally(flowAt(site, measure) + layout.FlowFreed)
	}
	ref := g.Load32(site + layout.SiteLifetimes)
	for n := 0; ref != 0 && n < lifetimeClasses; n++ {
		at := Offset(ref)
		if g.Load32(at+layout.LifetimeClass) < uint32(classes) {
			sum = sum.Plus(g.loadTally(at + layout.SizeofLifetime + measure*layout.SizeofTally))
		}
		ref = g.Load32(at + layout.LifetimeNext)
	}
	return sum
}

// siteBytes is the least that a site takes in the region: a site has one flow for objects, and if its sizes are mixed, one for
// bytes.
const siteBytes = layout.SizeofSite + layout.SizeofFlow

// flowAt returns the offset at which a site keeps a measure: 0 for objects, 1 for bytes.
func flowAt(site, measure uint64) uint64 { return site + layout.SizeofSite + measure*layout.SizeofFlow }

// measured reads the measures that a site counts.
func (g Region) measured(site uint64, of func(measure uint64) Amount) Weight {
	w := Weight{Objects: of(0)}
	if g.Load64(site+layout.SiteSize) == layout.SiteMixed {
		w.Bytes = of(1)
	}
	return w
}

// loadTally returns a tally's sum at the last settle: two words, and how often each has wrapped.
func (g Region) loadTally(at uint64) Amount {
	running, at := at, at+layout.TallySettled
	one, other := Amount{g.carried(running), g.Load64(at)}, Amount{g.carried(running + 8), g.Load64(at + 8)}
	return one.Plus(other)
}

// carried returns how often a word had wrapped at the last settle.
func (g Region) carried(word uint64) uint64 {
	for i := range uint64(layout.Carries) {
		switch at := layout.HeaderCarries + i*layout.SizeofCarry; g.Load64(at + layout.CarryWord) {
		case 0:
			return 0
		case word:
			return uint64(g.Load32(at + layout.CarrySettled))
		}
	}
	return 0
}

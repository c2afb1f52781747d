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

// moment is a region whose sums are read as they were at a moment: the last settle, or the last moment of all.
type moment struct {
	Region
	stopped bool
}

// settled returns what a site had allocated by the last settle, and what of it was in use then. Words wrap; in use is their
// difference, which fits in one word.
func (c moment) settled(site uint64) flow {
	return flow{
		allocated: c.measured(site, func(m uint64) Amount { return c.loadTally(flowAt(site, m) + layout.FlowAllocated) }),
		inUse:     c.measured(site, func(m uint64) Amount { return c.inUse(site, m) }),
	}
}

func (c moment) inUse(site, measure uint64) Amount {
	allocated := c.loadTally(flowAt(site, measure) + layout.FlowAllocated)
	return signed(allocated.Low - c.freedOf(site, measure, lifetimeClasses).Low)
}

// atPeak returns what a site had in use at the peak. One that has not changed since the peak has the same in use still; if the
// peak is held, there is none.
func (c moment) atPeak(site uint64) flow {
	return flow{inUse: c.measured(site, func(m uint64) Amount {
		at := site + layout.SitePeaks + m*layout.SizeofPeak
		if c.stopped && c.Load64(at+layout.PeakMark) != c.Load64(layout.HeaderInuse+layout.InusePeak)>>layout.PeakFlags {
			return c.inUse(site, m)
		}
		return signed(c.Load64(at + layout.PeakThen))
	})}
}

// lifetimeClasses is the number of classes of lifetimes, including the one for the longest and the unknown.
const lifetimeClasses = layout.Lifetimes + 1

// freedWithin returns what a site freed in the first classes of lifetimes, until the last settle: its own class and others,
// each of which has a record.
func (c moment) freedWithin(site uint64, classes int) flow {
	return flow{allocated: c.measured(site, func(m uint64) Amount { return c.freedOf(site, m, classes) })}
}

func (c moment) freedOf(site, measure uint64, classes int) (sum Amount) {
	if own := c.load8(site + layout.SiteClass); int(own) <= classes {
		sum = c.loadTally(flowAt(site, measure) + layout.FlowFreed)
	}
	ref := c.Load32(site + layout.SiteLifetimes)
	for n := 0; ref != 0 && n < lifetimeClasses; n++ {
		at := Offset(ref)
		if c.Load32(at+layout.LifetimeClass) < uint32(classes) {
			sum = sum.Plus(c.loadTally(at + layout.SizeofLifetime + measure*layout.SizeofTally))
		}
		ref = c.Load32(at + layout.LifetimeNext)
	}
	return sum
}

// siteBytes is the least that a site takes in the region: a site has one flow for objects, and if its sizes are mixed, one for
// bytes.
const siteBytes = layout.SizeofSite + layout.SizeofFlow

// flowAt returns the offset at which a site keeps a measure: 0 for objects, 1 for bytes.
func flowAt(site, measure uint64) uint64 { return site + layout.SizeofSite + measure*layout.SizeofFlow }

// measured reads the measures that a site counts.
func (c moment) measured(site uint64, of func(measure uint64) Amount) Weight {
	w := Weight{Objects: of(0)}
	if c.Load64(site+layout.SiteSize) == layout.SiteMixed {
		w.Bytes = of(1)
	}
	return w
}

// loadTally returns a tally's sum at the moment: two words, and how often each has wrapped.
func (c moment) loadTally(at uint64) Amount {
	running := at
	if !c.stopped {
		at += layout.TallySettled
	}
	one, other := Amount{c.carried(running), c.Load64(at)}, Amount{c.carried(running + 8), c.Load64(at + 8)}
	return one.Plus(other)
}

// carried returns how often a word had wrapped at the moment.
func (c moment) carried(word uint64) uint64 {
	count := uint64(layout.CarrySettled)
	if c.stopped {
		count = layout.CarryRunning
	}
	for i := range uint64(layout.Carries) {
		switch at := layout.HeaderCarries + i*layout.SizeofCarry; c.Load64(at + layout.CarryWord) {
		case 0:
			return 0
		case word:
			return uint64(c.Load32(at + count))
		}
	}
	return 0
}

// Profiles hold whole numbers, and estimates are not whole: a block of 600 KB that was sampled at 512 KiB stands for 1.47
// blocks. Rounding each site to the nearest number makes totals wrong by a third, because all sites of such blocks round the
// same way.
//
// So each site has its own random threshold u between 0 and 1, and x becomes floor(x + u). That is x on average, for any x:
// with x = n + f it is n + 1 where u ≥ 1 − f, which has the chance f, and n otherwise. A sum over sites is therefore right
// on average, and its error from rounding is at most half the square root of the number of sites (one standard deviation),
// far less than the error of sampling.
//
// The threshold is fixed for the site as long as the recording lasts. So:
//
//   - Two profiles of one state are equal, and what did not change has no delta.
//   - floor(x + u) never falls while x rises: counters never run backwards, and a block in use has been allocated.
//   - A difference floor(y + u) − floor(x + u) is y − x on average, because each of the two is right on average; and it is
//     y − x rounded up or down, because both sides have the same u. Deltas of one recording add up to its whole.
//   - Whole numbers do not change: with every allocation recorded, profiles are exact.
//   - A sampled block stands for at least one block, and x + 1 + u has a floor at least 1 above that of x + u: no sample and
//     no delta has bytes of a sampled block without an object.
//
// The threshold depends on the recording's seed, too, so that profiles of many processes that run the same program add up to
// the right number at each site.

// rounding is a site's threshold for each measure, in units of 2^-16.
type rounding struct {
	objects, bytes uint64
}

func (r *Reader) rounding(site uint32) rounding {
	h := mix(mix(r.Seed) + uint64(site))
	return rounding{h & 0xffff, h >> 16 & 0xffff}
}

// mix is the finalizer of MurmurHash3: every bit of x reaches every bit of the result.
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// numbers returns the values of a profile for blocks of a size. If all have one size, their number determines the bytes;
// bytes are summed only if sizes are mixed. A negative sum, from blocks that are being recorded, becomes 0.
func (r rounding) numbers(w Weight, size uint64) (objects, bytes int64) {
	if w.Objects.negative() || w.Bytes.negative() {
		return 0, 0
	}
	if size == layout.SiteMixed {
		return w.Objects.Rounded(16, r.objects), w.Bytes.Rounded(4, r.bytes>>12)
	}
	return w.Objects.Rounded(16, r.objects), w.Objects.Times(size).Rounded(16, r.bytes)
}

package tables

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/stack"
)

// Sums are weights of blocks by their site.
type Sums struct {
	Total  Weight
	list   []siteSum
	index  scratch.Index // of list, by site
	memory *scratch.Memory
}

type siteSum struct {
	Weight
	site uint32
}

// NewSums returns sums of nothing, in memory.
func NewSums(memory *scratch.Memory) *Sums {
	return &Sums{memory: memory, index: scratch.NewIndex(memory, 0)}
}

// Add adds a weight to a site's.
func (s *Sums) Add(site uint32, w Weight) {
	n, known := s.index.Find(uint64(site), func(n uint32) bool { return s.list[n].site == site })
	if !known {
		n = uint32(len(s.list))
		s.index.Add(uint64(site), n)
		s.list = scratch.Append(s.memory, s.list, siteSum{site: site})
	}
	s.list[n].Weight = s.list[n].plus(w)
	s.Total = s.Total.plus(w)
}

// InUse returns the sums as samples in use, in the order of their sites. Bytes are the sums' own, whatever the blocks' sizes.
func (r *Reader) InUse(s *Sums) *Samples { return r.packed(r.inUse(nil, s, 0)) }

// InUseBeside is InUse, followed by the same of other sums: a site may have a sample of both. The others' are of class 0: see ClassOf.
func (r *Reader) InUseBeside(s, others *Sums) *Samples {
	return r.packed(r.inUse(r.inUse(nil, s, 0), others, 1<<classShift))
}

func (r *Reader) inUse(list []record, s *Sums, class uint64) []record {
	slices.SortFunc(s.list, func(a, b siteSum) int { return cmp.Compare(a.site, b.site) })
	if list == nil {
		list = scratch.Slice[record](r.memory, len(s.list))[:0]
	}
	for i := range s.list {
		sum := &s.list[i]
		one, u := r.sample(Offset(sum.site)), r.rounding(sum.site)
		one.id |= class
		one.Values = stack.Values{InuseObjects: sum.Objects.Rounded(16, u.objects), InuseBytes: sum.Bytes.Rounded(4, u.bytes>>12)}
		list = scratch.Append(r.memory, list, one)
	}
	return list
}

// Amount is a sum of weights in fixed point: 128 bits, two's complement. 64 bits hold 2^48 objects, which one site of a busy
// program allocates in weeks.
type Amount struct {
	High, Low uint64
}

// signed returns the amount of a word that may be below zero.
func signed(word uint64) Amount { return Amount{uint64(int64(word) >> 63), word} }

// Plus returns the sum.
func (a Amount) Plus(b Amount) Amount {
	low, carry := bits.Add64(a.Low, b.Low, 0)
	high, _ := bits.Add64(a.High, b.High, carry)
	return Amount{high, low}
}

func (a Amount) negative() bool { return int64(a.High) < 0 }

// Times multiplies an amount that is not negative. A product that overflows becomes the largest amount.
func (a Amount) Times(n uint64) Amount {
	overflow, high := bits.Mul64(a.High, n)
	carried, low := bits.Mul64(a.Low, n)
	high, carry := bits.Add64(high, carried, 0)
	if overflow != 0 || carry != 0 || int64(high) < 0 {
		return Amount{math.MaxInt64, math.MaxUint64}
	}
	return Amount{high, low}
}

// Rounded rounds an amount in units of 2^-fraction to a whole number: up if its fraction plus the threshold, which is below
// 1 in the same units, reaches 1. A number too large for an int64 becomes the largest.
func (a Amount) Rounded(fraction uint, threshold uint64) int64 {
	a = a.Plus(Amount{0, threshold})
	if whole := a.Low>>fraction | a.High<<(64-fraction); a.High>>fraction == 0 && whole <= math.MaxInt64 {
		return int64(whole)
	}
	return math.MaxInt64
}

// Lifetimes returns the longest lifetime of each class that sites keep; a block counts in the first class that it fits.
func Lifetimes() []time.Duration {
	list := make([]time.Duration, len(layout.LongestLifetimes))
	for i, longest := range layout.LongestLifetimes {
		list[i] = time.Duration(longest)
	}
	return list
}

// ages are the classes of age of blocks in use: the lowest age of each.
var ages = [...]time.Duration{0, time.Second, 10 * time.Second, time.Minute, 10 * time.Minute, time.Hour, 24 * time.Hour}

// OfAge returns the live blocks that were at least as old as oldest when the tables were settled. Each stack and class of age
// has a sample; the label "age" is the least age of the class, in seconds. If nobody settled the tables, all blocks count, also those that are
// younger than Ticks: the end of a process is only known to some seconds.
func (r *Reader) OfAge(oldest time.Duration) *Samples {
	sums := make(Classes)
	r.Blocks(func(b Block) {
		age, known := ageOf(r.Ticks, b.born)
		if r.Stopped && !known {
			age, known = 0, true
		}
		if known && age >= oldest && !b.Lost {
			sums.Add(b.Site, classOf(age), b.Weight)
		}
	})
	return r.InClasses(sums, func(class int) stack.Label {
		return stack.Label{Key: "age", Number: int64(ages[class] / time.Second), Unit: "seconds"}
	})
}

// tick is the unit of the times at which blocks were allocated.
const tick time.Duration = layout.Tick

// ageOf returns the age at now of a block allocated at born; unknown if the block is younger than the settling of the
// tables. Times are in ticks.
func ageOf(now, born uint64) (age time.Duration, known bool) {
	return time.Duration(min(now-born, uint64(math.MaxInt64/tick))) * tick, born < now
}

func classOf(age time.Duration) int {
	class := len(ages) - 1
	for age < ages[class] {
		class--
	}
	return class
}

package tables

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/stack"
)

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
	sums := make(map[aged]Weight)
	r.Blocks(func(b Block) {
		age, known := ageOf(r.Ticks, b.born)
		if r.Stopped && !known {
			age, known = 0, true
		}
		if known && age >= oldest && !b.Lost {
			class := aged{b.Site, classOf(age)}
			sums[class] = sums[class].plus(b.Weight)
		}
	})
	return r.packed(r.aged(sums))
}

// tick is the unit of the times at which blocks were allocated.
const tick time.Duration = layout.Tick

// ageOf returns the age at now of a block allocated at born; unknown if the block is younger than the settling of the
// tables. Times are in ticks.
func ageOf(now, born uint64) (age time.Duration, known bool) {
	return time.Duration(min(now-born, uint64(math.MaxInt64/tick))) * tick, born < now
}

// classShift is the position of the age class + 1 in the ID of a sample, above the ref of its site.
const classShift = 32

// aged is a site and the class of age of its blocks.
type aged struct {
	site  uint32
	class int
}

func classOf(age time.Duration) int {
	class := len(ages) - 1
	for age < ages[class] {
		class--
	}
	return class
}

func (r *Reader) aged(sums map[aged]Weight) []record {
	keys := make([]aged, 0, len(sums))
	for key := range sums {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b aged) int {
		return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.class, b.class))
	})
	list := scratch.Slice[record](r.memory, len(keys))
	for i, key := range keys {
		list[i] = r.sample(Offset(key.site))
		list[i].id |= uint64(key.class+1) << classShift
		list[i].labels = r.labels.add(withAge(r.labels.of(list[i].labels), ages[key.class]))
	}
	r.fillIn(list, keys, sums)
	return list
}

// fillIn sets the values of samples. From the oldest class on, it rounds the running sum over a site's classes, and each
// class gets the increase. So all classes add up to what the site has in use.
func (r *Reader) fillIn(list []record, keys []aged, sums map[aged]Weight) {
	var sum Weight
	var before stack.Values
	for i := len(keys) - 1; i >= 0; i-- {
		site := keys[i].site
		if i == len(keys)-1 || site != keys[i+1].site {
			sum, before = Weight{}, stack.Values{}
		}
		sum = sum.plus(sums[keys[i]])
		var now stack.Values
		now.InuseObjects, now.InuseBytes = r.rounding(site).numbers(sum, r.region.Load64(Offset(site)+layout.SiteSize))
		list[i].InuseObjects, list[i].InuseBytes = now.InuseObjects-before.InuseObjects, now.InuseBytes-before.InuseBytes
		before = now
	}
}

// withAge returns the labels with the age's. It replaces a goroutine's label of the same key.
func withAge(labels []stack.Label, age time.Duration) []stack.Label {
	return stack.WithLabel(labels, stack.Label{Key: "age", Number: int64(age / time.Second), Unit: "seconds"})
}

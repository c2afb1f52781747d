package tables

import (
	"math"
	"time"

	"github.com/cgoheap/cgoheap/internal/layout"
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

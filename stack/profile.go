package stack

import (
	"math"
	"time"
)

// Values are the four weights of a sample, in the order of Go's own heap profile: estimates of all that was allocated
// since the recording began, and of what is still in use, in blocks and in bytes.
type Values struct {
	AllocObjects, AllocBytes, InuseObjects, InuseBytes int64
}

// Add adds w to v. A sum that is too large is the largest number.
func (v *Values) Add(w Values) {
	v.AllocObjects = plus(v.AllocObjects, w.AllocObjects)
	v.AllocBytes = plus(v.AllocBytes, w.AllocBytes)
	v.InuseObjects = plus(v.InuseObjects, w.InuseObjects)
	v.InuseBytes = plus(v.InuseBytes, w.InuseBytes)
}

func plus(a, b int64) int64 {
	switch sum := a + b; {
	case a > 0 && b > 0 && sum < 0:
		return math.MaxInt64
	case a < 0 && b < 0 && sum >= 0:
		return math.MinInt64
	default:
		return sum
	}
}

// MixedSizes is the BlockSize of a sample whose blocks are not all of one size.
const MixedSizes = -1

// Sample is one stack with the weights of the blocks of one size, and with the same labels, that it allocated.
type Sample struct {
	ID        uint64  // the same in every snapshot of one recording, and of no other sample there; 0: not known
	Frames    []Frame // leaf first
	BlockSize int64   // bytes asked for, per block; or MixedSizes
	Labels    []Label // in the order of their keys, none twice; shared between samples, never changed
	Values
}

// Loss is a counter of something that a profile lacks, with a sentence that says to a person what it means.
type Loss struct {
	Name, Sentence string
	Count          uint64
}

// Profile is a set of weighted stacks taken at one moment.
type Profile struct {
	Samples     []Sample
	SampleBytes int64 // mean bytes between samples
	Start, Time time.Time
	Losses      []Loss // the counters that are not zero
}

// Total is the sum of all samples.
func (p *Profile) Total() Values {
	var total Values
	for i := range p.Samples {
		total.Add(p.Samples[i].Values)
	}
	return total
}

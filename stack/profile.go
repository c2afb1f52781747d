package stack

import "time"

// MixedSizes is the BlockSize of a sample whose blocks are not all of one size.
const MixedSizes = -1

// Sample is one stack with the weights of the blocks of one size, and with the same labels, that it allocated.
type Sample struct {
	ID        uint64  // unique, and the same in every snapshot of one recording; 0: not known
	Frames    []Frame // leaf first
	BlockSize int64   // bytes asked for, per block; or MixedSizes
	Labels    []Label // in the order of their keys, none twice; shared between samples, never changed
	Values
}

// Loss is a counter of something that a profile lacks, with a sentence for a person.
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

// Total returns the sum of all samples.
func (p *Profile) Total() Values {
	var total Values
	for i := range p.Samples {
		total.Add(p.Samples[i].Values)
	}
	return total
}

package stack

import (
	"cmp"
	"math"
	"slices"
	"time"
)

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

// ModuleID numbers the loaded files of one recording, from 1, in the order in which they were first seen. A library
// that is closed and opened again is a new module with a new number. 0 is "no known module".
type ModuleID uint16

// NoCode stands in place of a module for a frame that is no code: the profile's writer knows what it is called. Its address is a number.
const NoCode ModuleID = 64001

// Frame is one call site of a stack: the runtime address of the call instruction (a return address − 1, or the exact
// address where a signal interrupted the code) in its low 48 bits, and the module that was mapped there when the sample
// was taken in its high 16.
type Frame uint64

const addressBits = 48

// NewFrame packs a call site's runtime address and its module.
func NewFrame(module ModuleID, address uint64) Frame {
	return Frame(uint64(module)<<addressBits | address&(1<<addressBits-1))
}

// Module returns the module that was mapped at the frame's address when its sample was taken.
func (f Frame) Module() ModuleID { return ModuleID(f >> addressBits) }

// Address returns the runtime address of the call site.
func (f Frame) Address() uint64 { return uint64(f) & (1<<addressBits - 1) }

// Label is a key with a text or, where Unit is not empty, a number. Labels distinguish samples of one stack.
type Label struct {
	Key, Text string
	Number    int64
	Unit      string // what Number counts, such as "bytes" or "seconds"; "" for a text
}

// WithLabel returns a copy of the sorted labels with one added, or replaced if the key is there.
func WithLabel(labels []Label, added Label) []Label {
	at, found := slices.BinarySearchFunc(labels, added.Key, func(l Label, key string) int { return cmp.Compare(l.Key, key) })
	labels = slices.Clone(labels)
	if found {
		labels[at] = added
		return labels
	}
	return slices.Insert(labels, at, added)
}

// Values are the four weights of a sample, in the order of Go's own heap profile: estimates of all that was allocated
// since the recording began, and of what is still in use, in blocks and in bytes.
type Values struct {
	AllocObjects, AllocBytes, InuseObjects, InuseBytes int64
}

// Add adds w to v. A sum that overflows becomes the largest number.
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

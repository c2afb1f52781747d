package tables

import (
	"cmp"
	"iter"
	"slices"

	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/stack"
)

// Samples are the samples of a view, packed. They are valid as long as the memory of their Reader.
type Samples struct {
	records []record
	stacks  *Stacks
	labels  *labels
}

// Seal frees what is only needed to add more of the reader's samples.
func (s *Samples) Seal() { s.stacks.seal() }

// Resolve is that of the samples' stacks.
func (s *Samples) Resolve(of func(f stack.Frame, noFile bool) stack.Frame) { s.stacks.Resolve(of) }

// Each yields the samples. A sample and its frames are valid until the next is yielded.
func (s *Samples) Each() iter.Seq[*stack.Sample] {
	return func(yield func(*stack.Sample) bool) {
		var sample stack.Sample
		var frames []stack.Frame
		for i := range s.records {
			r := &s.records[i]
			frames = s.stacks.appendFrames(frames[:0], r.stack)
			sample = s.sample(r, frames)
			if !yield(&sample) {
				return
			}
		}
	}
}

func (s *Samples) sample(r *record, frames []stack.Frame) stack.Sample {
	return stack.Sample{ID: r.id, Frames: frames, BlockSize: r.blockSize, Labels: s.labels.of(r.labels), Values: r.Values}
}

// Unpack returns the samples as a slice.
func (s *Samples) Unpack() []stack.Sample {
	frames := s.stacks.Unroll()
	list := make([]stack.Sample, len(s.records))
	for i := range list {
		r := &s.records[i]
		list[i] = s.sample(r, frames[r.stack])
	}
	return list
}

// Classes are weights of blocks by their site and by a class that the caller has put them in, from 0.
type Classes map[siteClass]Weight

type siteClass struct {
	site  uint32
	class int
}

// Add adds a weight to that of a site's class.
func (c Classes) Add(site uint32, class int, w Weight) {
	key := siteClass{site, class}
	c[key] = c[key].plus(w)
}

// classShift is the position of the class + 1 in the ID of a sample, above the ref of its site.
const classShift = 32

// ClassOf returns the class of a sample of InClasses, by its ID.
func ClassOf(id uint64) int { return int(id>>classShift) - 1 }

// WithoutClass returns the ID that the sample with this one has in snapshots without classes.
func WithoutClass(id uint64) uint64 { return id & (1<<classShift - 1) }

// InClasses returns the sums as samples in use: one for each stack, block size and class. A class's label, if it has one, replaces a
// goroutine's label of the same key.
func (r *Reader) InClasses(sums Classes, label func(class int) stack.Label) *Samples {
	keys := make([]siteClass, 0, len(sums))
	for key := range sums {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b siteClass) int {
		return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.class, b.class))
	})
	list := scratch.Slice[record](r.memory, len(keys))
	for i, key := range keys {
		list[i] = r.sample(Offset(key.site))
		list[i].id |= uint64(key.class+1) << classShift
		if l := label(key.class); l.Key != "" {
			list[i].labels = r.labels.add(stack.WithLabel(r.labels.of(list[i].labels), l))
		}
	}
	r.fillIn(list, keys, sums)
	return r.packed(list)
}

// fillIn sets the values of samples. From the last class on, it rounds the running sum over a site's classes, and each
// class gets the increase. So all classes add up to what the site has in use, if all its blocks are in one.
func (r *Reader) fillIn(list []record, keys []siteClass, sums Classes) {
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

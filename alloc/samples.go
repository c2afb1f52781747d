//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"iter"

	"github.com/cgoheap/cgoheap/stack"
)

// packedSamples are the samples of a Snapshot in scratch memory.
type packedSamples struct {
	records []record
	stacks  *stacks
	labels  *labels
}

// EachPacked are the samples that are not in Samples. What it yields, and its frames, are valid until the next.
func (s *Snapshot) EachPacked() iter.Seq[*stack.Sample] {
	return func(yield func(*stack.Sample) bool) {
		var sample stack.Sample
		var frames []stack.Frame
		for i := range s.packed.records {
			r := &s.packed.records[i]
			frames = s.packed.stacks.appendFrames(frames[:0], r.stack)
			sample = s.packed.sample(r, frames)
			if !yield(&sample) {
				return
			}
		}
	}
}

func (p *packedSamples) sample(r *record, frames []stack.Frame) stack.Sample {
	return stack.Sample{ID: r.id, Frames: frames, BlockSize: r.blockSize, Labels: p.labels.of(r.labels), Values: r.Values}
}

// Unpack makes Samples of what SnapshotIn left packed.
func (s *Snapshot) Unpack() {
	if len(s.packed.records) == 0 {
		return
	}
	frames := s.packed.stacks.unroll()
	s.Samples = make([]stack.Sample, len(s.packed.records)) // in Go's heap, where it keeps the frames
	for i := range s.Samples {
		r := &s.packed.records[i]
		s.Samples[i] = s.packed.sample(r, frames[r.stack])
	}
	s.packed.records = nil
}

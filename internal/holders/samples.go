package holders

import (
	"iter"

	"github.com/cgoheap/cgoheap/stack"
)

// rootLabel is the key of the label that says what the chain of words to a block begins in, where another block holds it.
const rootLabel = "root"

// Samples yields samples, each of blocks that have one holder, with that as the root of their stacks: a last frame of the
// module stack.NoCode, whose address is 1 + the holder's index. Where the holder is a block, they have the label rootLabel,
// which replaces a goroutine's label of the same key. holder returns the index of a sample's holder. What is yielded is valid
// until the next is.
func (d *Named) Samples(each iter.Seq[*stack.Sample], holder func(*stack.Sample) int) iter.Seq[*stack.Sample] {
	return func(yield func(*stack.Sample) bool) {
		var frames []stack.Frame
		for s := range each {
			held, which := *s, holder(s)
			frames = append(append(frames[:0], s.Frames...), stack.NewFrame(stack.NoCode, uint64(which)+1))
			held.Frames = frames
			if uint(which) < uint(len(d.Holders)) && d.Holders[which].Root != "" {
				held.Labels = stack.WithLabel(s.Labels, stack.Label{Key: rootLabel, Text: d.Holders[which].Root})
			}
			if !yield(&held) {
				return
			}
		}
	}
}

package report

import (
	"slices"
	"testing"

	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

func TestTrim(t *testing.T) {
	const malloc, draw, wrapper, handler, zone = 1, 2, 3, 4, 5
	n := &naming{frames: newFrames()}
	for number, part := range map[uint64]symbolize.Part{
		malloc: symbolize.Entry, draw: symbolize.Code, wrapper: symbolize.Glue, handler: symbolize.Code, zone: symbolize.Entry,
	} {
		n.add(stack.NewFrame(0, number))
		n.named = append(n.named, named{frame: stack.NewFrame(0, number), part: part})
	}
	for _, c := range []struct {
		name      string
		all, want []uint64
	}{
		{"glue is nowhere", []uint64{draw, wrapper, handler, wrapper}, []uint64{draw, handler}},
		{"an allocator's entry is not the leaf", []uint64{malloc, zone, draw, handler}, []uint64{draw, handler}},
		{"nor is it if only glue is before it", []uint64{wrapper, malloc, handler}, []uint64{handler}},
		{"further up it stays", []uint64{draw, malloc, handler}, []uint64{draw, malloc, handler}},
		{"a stack of nothing else is shown whole", []uint64{malloc, wrapper}, []uint64{malloc, wrapper}},
		{"a stack without frames stays so", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []uint64
			for _, f := range n.shown(nil, stackOf(c.all)) {
				got = append(got, f.frame.Address())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func stackOf(numbers []uint64) (frames []stack.Frame) {
	for _, n := range numbers {
		frames = append(frames, stack.NewFrame(0, n))
	}
	return frames
}

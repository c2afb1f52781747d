package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

func TestTrim(t *testing.T) {
	const malloc, draw, wrapper, handler, zone = 1, 2, 3, 4, 5
	entry := symbolize.Tidied{Lines: make([]symbolize.Line, 2), Entries: 2}
	n := namingOf(map[uint64]symbolize.Tidied{malloc: entry, draw: {}, wrapper: {Hidden: true}, handler: {}, zone: entry})
	for _, c := range []struct {
		name      string
		all, want []uint64
	}{
		{"a hidden frame is nowhere", []uint64{draw, wrapper, handler, wrapper}, []uint64{draw, handler}},
		{"an allocator's entry is not the leaf", []uint64{malloc, zone, draw, handler}, []uint64{draw, handler}},
		{"nor is it if only hidden frames are before it", []uint64{wrapper, malloc, handler}, []uint64{handler}},
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

func TestEntriesThatWereInlinedIntoTheLeafAreLeftOut(t *testing.T) {
	const inlined, malloc, draw = 1, 2, 3
	lines := func(names ...string) (list []symbolize.Line) {
		for _, name := range names {
			list = append(list, symbolize.Line{Function: name})
		}
		return list
	}
	n := namingOf(map[uint64]symbolize.Tidied{
		inlined: {Lines: lines("malloc", "calloc", "pool"), Entries: 2},
		malloc:  {Lines: lines("malloc"), Entries: 1},
		draw:    {Lines: lines("draw")},
	})
	for _, c := range []struct {
		all  []uint64
		want string
	}{
		{[]uint64{inlined, draw}, "pool draw"},
		{[]uint64{malloc, inlined, draw}, "pool draw"},
		{[]uint64{draw, inlined, draw}, "draw malloc calloc pool draw"},
		{[]uint64{inlined, inlined}, "pool malloc calloc pool"},
	} {
		var got []string
		for _, f := range n.shown(nil, stackOf(c.all)) {
			for _, line := range n.linesOf(f) {
				got = append(got, line.Function)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v: %q, want %q", c.all, got, c.want)
		}
	}
	first, again := n.shown(nil, stackOf([]uint64{inlined})), n.shown(nil, stackOf([]uint64{inlined, draw}))
	if first[0] != again[0] {
		t.Error("the leaf is two locations")
	}
}

// namingOf knows the frames to show for each address.
func namingOf(addresses map[uint64]symbolize.Tidied) *naming {
	n := newNaming(newFrames(nil))
	for address, tidied := range addresses {
		frame := stack.NewFrame(0, address)
		n.add(frame)
		n.named = append(n.named, named{
			frame: frame, entries: uint32(tidied.Entries), hidden: tidied.Hidden, lines: n.addLines(tidied.Lines),
		})
	}
	return n
}

func stackOf(numbers []uint64) (frames []stack.Frame) {
	for _, n := range numbers {
		frames = append(frames, stack.NewFrame(0, n))
	}
	return frames
}

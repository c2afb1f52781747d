package holders

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/stack"
)

// Frames that are no code are told from those of modules by their number.
var (
	_ [layout.FirstObject - stack.NoCode]byte
	_ [stack.NoCode - layout.ModuleMade - 1]byte
)

func TestSamplesHaveTheirHolders(t *testing.T) {
	shared := make([]stack.Frame, 2, 10)
	labels := []stack.Label{{Key: "a", Text: "b"}, {Key: "root", Text: "a goroutine's"}}
	all := []stack.Sample{
		{ID: 1, Frames: shared, Labels: labels, Values: stack.Values{InuseBytes: 7}}, {ID: 2, Frames: shared, Labels: labels}, {ID: 3}, {ID: 9, Labels: labels},
	}
	named := Named{Holders: []Holder{{Name: "x"}, {Name: "y", Root: "z"}, {Name: "w", Root: "v"}}}
	each := func(yield func(*stack.Sample) bool) {
		for i := range all {
			if !yield(&all[i]) {
				return
			}
		}
	}
	var got []stack.Sample
	for s := range named.Samples(each, func(s *stack.Sample) int { return int(s.ID - 1) }) {
		held := *s
		held.Frames = append([]stack.Frame(nil), s.Frames...)
		got = append(got, held)
	}
	root := func(n uint64) stack.Frame { return stack.NewFrame(stack.NoCode, n) }
	want := []stack.Sample{
		{ID: 1, Frames: []stack.Frame{0, 0, root(1)}, Labels: labels, Values: stack.Values{InuseBytes: 7}},
		{ID: 2, Frames: []stack.Frame{0, 0, root(2)}, Labels: []stack.Label{{Key: "a", Text: "b"}, {Key: "root", Text: "z"}}},
		{ID: 3, Frames: []stack.Frame{root(3)}, Labels: []stack.Label{{Key: "root", Text: "v"}}}, {ID: 9, Frames: []stack.Frame{root(9)}, Labels: labels},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if all[0].Labels[1].Text != "a goroutine's" || shared[:3][2] != 0 {
		t.Error("the samples were changed")
	}
	for range named.Samples(each, func(*stack.Sample) int { return 0 }) {
		break
	}
}

package tables

import (
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/stack"
)

// chain writes a stack of nodes, one above the other from a ref on, and returns the ref of the stack. Its frames are the refs of
// their nodes. The root's caller is an enum end.
func chain(g Region, root uint32, depth int, end uint32) (ref uint32) {
	put32 := func(at uint64, v uint32) { *(*uint32)(unsafe.Pointer(&g[at])) = v }
	caller := end
	for i := range depth {
		node := root + uint32(2*i)
		put32(Offset(node)+layout.NodeCaller, caller)
		put32(Offset(node)+layout.NodeFrame, node+1)
		*(*uint64)(unsafe.Pointer(&g[Offset(node+1)+layout.FrameFrame])) = uint64(node)
		caller = node
	}
	ref = root + uint32(2*depth)
	put32(Offset(ref)+layout.StackNode, caller)
	return ref
}

// A stack that is cut off has a node where others have their end. No node may be taken for an end.
func TestStacksThatAreCutHaveNoEnd(t *testing.T) {
	words := make([]uint64, (math.MaxUint16+layout.StackEnds+2*70_000)*refUnit/8)
	g := Region(unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words)))
	for _, c := range []struct {
		root       uint32 // of the chain
		long, most int
		depth      int
		end        uint16 // 0: none
	}{
		{root: layout.StackEnds, long: 3, most: 10, depth: 3, end: layout.EndNoFile},
		{root: layout.StackEnds, long: 3, most: 3, depth: 3, end: layout.EndNoFile},
		{root: layout.StackEnds, long: 3, most: 2, depth: 2},
		{root: math.MaxUint16 + 1 + layout.EndNoFile, long: 2, most: 1, depth: 1}, // as 16 bits, the node is that end
		{root: math.MaxUint16 + 1, long: 70_000, most: 1 << 20, depth: math.MaxUint16},
	} {
		ref := chain(g, c.root, c.long, layout.EndNoFile)
		func() {
			var memory scratch.Memory
			defer memory.Free()
			s := NewStacks(g, c.most, 1, &memory)
			number := s.Number(ref)
			var want []stack.Frame
			for i := range c.depth {
				want = append(want, stack.Frame(c.root+uint32(2*(c.long-1-i))))
			}
			if frames := s.appendFrames(nil, number); !slices.Equal(frames, want) {
				t.Errorf("%+v: %d frames", c, len(frames))
			}
			if end := s.list[number].end; c.end != 0 && end != c.end || c.end == 0 && end < layout.StackEnds {
				t.Errorf("%+v: the end is %d", c, end)
			}
			if again := s.Number(ref); again != number {
				t.Errorf("%+v: number %d, and then %d", c, number, again)
			}
		}()
	}
	if size := unsafe.Sizeof(packedStack{}); size != 16 {
		t.Errorf("a stack takes %d bytes, want 16", size)
	}
}

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"encoding/binary"
	"slices"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/stack"
)

// stacks are the stacks of a snapshot. Different stacks have mostly the same frames, of which a program has some thousands.
// So each frame has a number, and a stack is the numbers of its frames as varints, leaf first: mostly two bytes each.
//
//	list    end, depth ─┐
//	                    ▼
//	packed         n n n n …        first: where the stack begins
//	               │
//	frames         └─► stack.Frame  placed: with its module
type stacks struct {
	list   []packedStack
	index  scratch.Index // of list, by ref
	packed []byte
	frames []frame
	places scratch.Index // of frames
	nodes  []uint32      // of the stack that is being packed
	depth  int           // stacks are not deeper
	memory *scratch.Memory
}

// packedStack is a stack, and the enum end that its walk stopped with.
type packedStack struct {
	first uint64 // in packed
	depth uint32
	ref   uint32
	end   uint32
}

// frame is a frame of stacks that ended at code in no file, or of others: what is known of its module depends on that.
type frame struct {
	stack.Frame
	noFile bool
}

func newStacks(depth int, memory *scratch.Memory) stacks {
	expected := atMost(cgo.Counted(cgo.CountStacks), cgo.StackBytes)
	return stacks{
		depth:  depth,
		memory: memory,
		list:   scratch.Slice[packedStack](memory, expected)[:0],
		index:  scratch.NewIndex(memory, expected),
		places: scratch.NewIndex(memory, 0),
	}
}

// number is that of the stack with a ref.
func (s *stacks) number(ref uint32) uint32 {
	n, known := s.index.Find(uint64(ref), func(n uint32) bool { return s.list[n].ref == ref })
	if !known {
		n = uint32(len(s.list))
		s.index.Add(uint64(ref), n)
		s.list = scratch.Append(s.memory, s.list, s.pack(ref))
	}
	return n
}

// pack follows a stack's node to its root. A caller's node is older than its callee's, so its ref is lower.
func (s *stacks) pack(ref uint32) packedStack {
	s.nodes = s.nodes[:0]
	node := load32(uint64(ref)*refUnit + uint64(cgo.StackNode))
	for node >= cgo.StackEnds && len(s.nodes) < s.depth {
		s.nodes = append(s.nodes, node)
		caller := load32(uint64(node)*refUnit + uint64(cgo.NodeCaller))
		if caller >= node {
			break
		}
		node = caller
	}
	packed := packedStack{first: uint64(len(s.packed)), depth: uint32(len(s.nodes)), ref: ref, end: node}
	s.packed = scratch.Grow(s.memory, s.packed, len(s.nodes)*binary.MaxVarintLen32)
	for _, n := range s.nodes {
		at := uint64(load32(uint64(n)*refUnit + uint64(cgo.NodeFrame)))
		f := frame{stack.Frame(load64(at*refUnit + uint64(cgo.FrameFrame))), node == cgo.EndNoFile}
		s.packed = binary.AppendUvarint(s.packed, uint64(s.frameNumber(f)))
	}
	return packed
}

func (s *stacks) frameNumber(f frame) uint32 {
	n, known := s.places.Find(uint64(f.Frame), func(n uint32) bool { return s.frames[n] == f })
	if !known {
		n = uint32(len(s.frames))
		s.places.Add(uint64(f.Frame), n)
		s.frames = scratch.Append(s.memory, s.frames, f)
	}
	return n
}

// appendFrames appends the frames of the stack with a number, leaf first.
func (s *stacks) appendFrames(frames []stack.Frame, number uint32) []stack.Frame {
	packed := &s.list[number]
	rest := s.packed[packed.first:]
	for range packed.depth {
		n, size := binary.Uvarint(rest)
		frames, rest = append(frames, s.frames[n].Frame), rest[size:]
	}
	return frames
}

// unroll gives every stack frames of its own.
func (s *stacks) unroll() [][]stack.Frame {
	total := 0
	for i := range s.list {
		total += int(s.list[i].depth)
	}
	all := scratch.Slice[stack.Frame](s.memory, total)[:0]
	list := scratch.Slice[[]stack.Frame](s.memory, len(s.list))
	for i := range list {
		from := len(all)
		all = s.appendFrames(all, uint32(i))
		list[i] = slices.Clip(all[from:])
	}
	return list
}

// seal gives back what is only needed for more stacks.
func (s *stacks) seal() {
	s.index.Release()
	s.places.Release()
}

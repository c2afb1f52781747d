package tables

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/stack"
)

// Stacks are the stacks of a snapshot. Different stacks mostly share their frames, of which a program has some thousands. So
// each frame has a number, and a stack is the numbers of its frames as varints, leaf first: mostly two bytes each.
//
//	list    end, depth ─┐
//	                    ▼
//	packed         n n n n …        first: where the stack begins
//	               │
//	frames         └─► stack.Frame  placed: with its module
type Stacks struct {
	region     Region
	list       []packedStack
	index      scratch.Index // of list, by ref
	packed     []byte
	frames     []frame
	frameIndex scratch.Index // of frames
	nodes      []uint32      // of the stack that is being packed
	depth      int           // stacks are not deeper
	memory     *scratch.Memory
}

// packedStack is a stack. A profile has one for each, so it is small.
type packedStack struct {
	first uint64 // in packed
	ref   uint32
	depth uint16
	end   uint16 // the enum end of its walk; layout.StackEnds or more for a stack that is deeper than depth
}

// frame is a frame of stacks that ended at code in no file, or of others: what is known of its module depends on that.
type frame struct {
	stack.Frame
	noFile bool
}

// NewStacks returns an empty set of stacks in memory, of the region's and no deeper than depth or 65,535 frames. About as many
// are expected.
func NewStacks(region Region, depth int, expected uint64, memory *scratch.Memory) Stacks {
	room := region.atMost(expected, layout.SizeofStack)
	return Stacks{
		region:     region,
		depth:      min(depth, math.MaxUint16),
		memory:     memory,
		list:       scratch.Slice[packedStack](memory, room)[:0],
		index:      scratch.NewIndex(memory, room),
		frameIndex: scratch.NewIndex(memory, 0),
	}
}

// Number returns the number of the stack with a ref, from 0 on in the order in which refs first came.
func (s *Stacks) Number(ref uint32) uint32 {
	n, known := s.index.Find(uint64(ref), func(n uint32) bool { return s.list[n].ref == ref })
	if !known {
		n = uint32(len(s.list))
		s.index.Add(uint64(ref), n)
		s.list = scratch.Append(s.memory, s.list, s.pack(ref))
	}
	return n
}

// pack follows a stack's node to its root. A caller's node is older than its callee's, so its ref is lower.
func (s *Stacks) pack(ref uint32) packedStack {
	s.nodes = s.nodes[:0]
	node := s.region.Load32(Offset(ref) + layout.StackNode)
	for node >= layout.StackEnds && len(s.nodes) < s.depth {
		s.nodes = append(s.nodes, node)
		caller := s.region.Load32(Offset(node) + layout.NodeCaller)
		if caller >= node {
			break
		}
		node = caller
	}
	packed := packedStack{first: uint64(len(s.packed)), ref: ref, depth: uint16(len(s.nodes))}
	packed.end = uint16(min(node, math.MaxUint16))
	s.packed = scratch.Grow(s.memory, s.packed, len(s.nodes)*binary.MaxVarintLen32)
	for _, n := range s.nodes {
		at := Offset(s.region.Load32(Offset(n) + layout.NodeFrame))
		f := frame{stack.Frame(s.region.Load64(at + layout.FrameFrame)), node == layout.EndNoFile}
		s.packed = binary.AppendUvarint(s.packed, uint64(s.frameNumber(f)))
	}
	return packed
}

func (s *Stacks) frameNumber(f frame) uint32 {
	n, known := s.frameIndex.Find(uint64(f.Frame), func(n uint32) bool { return s.frames[n] == f })
	if !known {
		n = uint32(len(s.frames))
		s.frameIndex.Add(uint64(f.Frame), n)
		s.frames = scratch.Append(s.memory, s.frames, f)
	}
	return n
}

// appendFrames appends the frames of the stack with a number, leaf first.
func (s *Stacks) appendFrames(frames []stack.Frame, number uint32) []stack.Frame {
	packed := &s.list[number]
	rest := s.packed[packed.first:]
	for range packed.depth {
		n, size := binary.Uvarint(rest)
		frames, rest = append(frames, s.frames[n].Frame), rest[size:]
	}
	return frames
}

// Unroll returns the frames of every stack, by its number.
func (s *Stacks) Unroll() [][]stack.Frame {
	total := 0
	for i := range s.list {
		total += int(s.list[i].depth)
	}
	all := scratch.Slice[stack.Frame](s.memory, total)[:0]
	list := make([][]stack.Frame, len(s.list)) // it keeps the frames alive if they are few enough to lie in Go's heap
	for i := range list {
		from := len(all)
		all = s.appendFrames(all, uint32(i))
		list[i] = slices.Clip(all[from:])
	}
	return list
}

// Resolve replaces frames. noFile says that the frame is of a stack that ended at code in no file.
func (s *Stacks) Resolve(of func(f stack.Frame, noFile bool) stack.Frame) {
	for i := range s.frames {
		f := &s.frames[i]
		f.Frame = of(f.Frame, f.noFile)
	}
}

// seal frees what is only needed to add more stacks.
func (s *Stacks) seal() {
	s.index.Release()
	s.frameIndex.Release()
}

// The number of cut stacks does not show how much of a profile they are: one of them may hold half of the bytes. So the
// bytes of the samples are added up by the reason why their stacks end, except at the root.

// Cut returns a counter for each reason why a stack can end early: the bytes in use in the samples whose stacks do.
func (s *Samples) Cut() []stack.Loss {
	all, by := s.byEnd()
	var list []stack.Loss
	for end, b := range by[1:] {
		list = append(list, cutLoss(layout.Counters[layout.CountEnd+1+end], b, all))
	}
	return list
}

// cutLoss is named after the counter of stacks with the same end: stacks_cut_depth has bytes_cut_depth.
func cutLoss(c layout.Counter, b, all endBytes) stack.Loss {
	return stack.Loss{
		Name:  strings.Replace(c.Name, "stacks_", "bytes_", 1),
		Count: uint64(max(b.inUse, 0)),
		Sentence: fmt.Sprintf("bytes in use, %.1f %% of all, and %d allocated, %.1f %% of all, in %s",
			percent(b.inUse, all.inUse), b.allocated, percent(b.allocated, all.allocated), c.Sentence),
	}
}

func percent(part, of int64) float64 {
	if of <= 0 {
		return 0
	}
	return 100 * float64(part) / float64(of)
}

// endBytes are bytes in use and bytes allocated.
type endBytes struct{ inUse, allocated int64 }

// byEnd returns the sums of all samples, and of those whose stacks end for each reason: the numbers of C's enum end.
func (s *Samples) byEnd() (all endBytes, by [layout.Ends]endBytes) {
	for i := range s.records {
		r := &s.records[i]
		all.add(&r.Values)
		if end := int(s.stacks.list[r.stack].end); end < len(by) {
			by[end].add(&r.Values)
		}
	}
	return all, by
}

func (b *endBytes) add(v *stack.Values) {
	b.inUse += v.InuseBytes
	b.allocated += v.AllocBytes
}

package report

import (
	"iter"
	"math/bits"

	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/stack"
)

// frames numbers different frames from 0 in the order in which they are added. It is a hash table with open addressing: a
// look-up is a multiplication and usually one access to memory.
type frames struct {
	list  []stack.Frame
	table []uint32 // numbers + 1; 0: empty. Its length is a power of two
	shift int

	memory *scratch.Memory
}

func newFrames(memory *scratch.Memory) *frames {
	f := &frames{memory: memory}
	f.grow(1 << 10)
	return f
}

func (f *frames) grow(size int) {
	scratch.ReleaseSlice(f.memory, f.table)
	f.table = scratch.Slice[uint32](f.memory, size)
	f.shift = 64 - bits.TrailingZeros(uint(size))
	for n, frame := range f.list {
		f.table[f.slot(frame)] = uint32(n + 1)
	}
}

// slot returns where the frame's number is in the table, or belongs. Multiplication by 2^64 divided by the golden ratio
// spreads neighbours (Knuth, The Art of Computer Programming, 6.4).
func (f *frames) slot(frame stack.Frame) uint64 {
	at := uint64(frame) * 0x9e3779b97f4a7c15 >> f.shift
	for f.table[at] != 0 && f.list[f.table[at]-1] != frame {
		at = (at + 1) & uint64(len(f.table)-1)
	}
	return at
}

func (f *frames) add(frame stack.Frame) {
	at := f.slot(frame)
	if f.table[at] != 0 {
		return
	}
	f.list = scratch.Append(f.memory, f.list, frame)
	f.table[at] = uint32(len(f.list))
	if 2*len(f.list) > len(f.table) {
		f.grow(2 * len(f.table))
	}
}

// number returns the number of a frame that was added.
func (f *frames) number(frame stack.Frame) int { return int(f.table[f.slot(frame)]) - 1 }

// framesOf returns all frames of the samples.
func framesOf(samples iter.Seq[*stack.Sample], memory *scratch.Memory) *frames {
	f := newFrames(memory)
	for s := range samples {
		for _, frame := range s.Frames {
			f.add(frame)
		}
	}
	return f
}

// shown appends the frames of a stack to show: no hidden ones, and no allocator's entry at the leaf; but all frames if none would
// be left.
func (n *naming) shown(list []*named, all []stack.Frame) []*named {
	before := len(list)
	for _, frame := range all {
		f := &n.named[n.number(frame)]
		if len(list) == before {
			f = n.asLeaf(f)
		}
		if f != nil && !f.hidden {
			list = append(list, f)
		}
	}
	if shown := len(list) - before; shown > 1 || shown == 1 && list[before].frame.Module() != stack.NoCode {
		return list
	}
	list = list[:before]
	for _, frame := range all {
		list = append(list, &n.named[n.number(frame)])
	}
	return list
}

// asLeaf returns a frame without the allocator's entries that it begins with, nil if it has nothing else.
func (n *naming) asLeaf(f *named) *named {
	lines := n.linesOf(f)
	switch {
	case f.entries == 0:
		return f
	case int(f.entries) == len(lines):
		return nil
	case f.leaf == 0:
		n.leaves = append(n.leaves, &named{frame: f.frame, module: f.module, lines: n.addLines(lines[f.entries:])})
		f.leaf = uint32(len(n.leaves))
	}
	return n.leaves[f.leaf-1]
}

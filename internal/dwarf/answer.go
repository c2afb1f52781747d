package dwarf

import (
	"math/bits"

	"github.com/cgoheap/cgoheap/internal/scratch"
)

// Answer is the result for one address.
type Answer struct {
	Frames   []Frame // innermost first; none if no function covers the address
	Position         // of the address: known for some outside functions too, as in assembly code
}

// Frame is one function at an address, and the position in it that was being executed: the address's own, or that of the
// inlined call. Function is nil if the debug data does not name it.
type Frame struct {
	Function *Function
	Position
}

// Position is a position in the source. The zero value means unknown.
type Position struct {
	File         string // absolute where the compiler recorded its directory
	Line, Column int
}

// describe turns the results of the wants into answers.
func (w *walk) describe(n *names, lines *lineTable) []Answer {
	answers := make([]Answer, len(w.wants))
	for i := range w.wants {
		if w.budget.exhausted() {
			return answers
		}
		wanted := &w.wants[i]
		if wanted.hasRow {
			answers[i].Position = w.source(lines, wanted.row)
		}
		at := answers[i].Position
		w.budget.spend(len(wanted.calls) * wantSteps)
		for k := len(wanted.calls) - 1; k >= 0; k-- {
			c := &wanted.calls[k]
			frame := Frame{Position: at}
			if described := n.function(reference{w.unit, c.entry}, 0); described != nil {
				frame.Function = &described.Function
			}
			answers[i].Frames = append(answers[i].Frames, frame)
			at = w.source(lines, c.from)
		}
	}
	return answers
}

// source returns the position of a row.
func (r *reader) source(t *lineTable, from row) Position {
	return Position{File: r.path(t, from.file), Line: int(number(from.line)), Column: int(number(from.column))}
}

// adopt merges a unit's answers. If several units claim an address, the first in the file wins.
func (s *search) adopt(j job, answers []Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rank := int32(j.order) + 1
	for i, index := range j.wants {
		if len(answers[i].Frames) == 0 && answers[i].Position == (Position{}) {
			continue
		}
		if s.answers[index] == nil {
			s.answers[index] = &answers[i]
		}
		answer := s.answers[index]
		if named := &s.named[index]; len(answers[i].Frames) > 0 && (*named == 0 || rank < *named) {
			*named, answer.Frames = rank, answers[i].Frames
		}
		if placed := &s.placed[index]; answers[i].Position != (Position{}) && (*placed == 0 || rank < *placed) {
			*placed, answer.Position = rank, answers[i].Position
		}
	}
}

// batch is the addresses of a search, ascending, with a table that leads close to where an address lies among them:
// a program can have a million ranges, and each is looked up.
type batch struct {
	all    []uint64
	starts []int32 // by the bits of (address − the first) from shift up: the first index with these bits or higher ones
	shift  int
}

func newBatch(addresses []uint64, memory *scratch.Memory) batch {
	b := batch{all: addresses}
	if len(addresses) == 0 {
		return b
	}
	extent := addresses[len(addresses)-1] - addresses[0]
	b.shift = max(0, bits.Len64(extent)-bits.Len(uint(len(addresses)))-2)
	b.starts = scratch.Slice[int32](memory, int(extent>>b.shift+2))
	next := 0
	for i, address := range addresses {
		for ; next <= int((address-addresses[0])>>b.shift); next++ {
			b.starts[next] = int32(i)
		}
	}
	for ; next < len(b.starts); next++ {
		b.starts[next] = int32(len(addresses))
	}
	return b
}

// lower returns the index of the first address that is not below the given one.
func (b *batch) lower(address uint64) int {
	switch {
	case len(b.all) == 0 || address <= b.all[0]:
		return 0
	case address > b.all[len(b.all)-1]:
		return len(b.all)
	}
	bucket := (address - b.all[0]) >> b.shift
	low, high := int(b.starts[bucket]), int(b.starts[bucket+1])
	for low < high {
		if middle := (low + high) / 2; b.all[middle] < address {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

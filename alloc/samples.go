package alloc

import (
	"iter"

	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/stack"
)

// EachPacked yields the samples that are not in Samples. A sample and its frames are valid until the next is yielded.
func (s *Snapshot) EachPacked() iter.Seq[*stack.Sample] {
	if s.packed == nil {
		return func(func(*stack.Sample) bool) {}
	}
	return s.packed.Each()
}

// Unpack moves the samples that SnapshotIn left packed into Samples.
func (s *Snapshot) Unpack() {
	if s.packed != nil {
		s.Samples = s.packed.Unpack()
		s.packed = nil
	}
}

// ClassOf returns the class of a sample of ClassesIn.
func ClassOf(s *stack.Sample) int { return tables.ClassOf(s.ID) }

// OnPinnedLine reports whether a sample of ResidentIn is of memory that the account has on the line account.Pinned.
func OnPinnedLine(s *stack.Sample) bool { return tables.ClassOf(s.ID) >= 0 }

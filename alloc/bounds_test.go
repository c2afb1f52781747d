//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"slices"
	"testing"

	"github.com/cgoheap/cgoheap/internal/testonly"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

func TestThreadsWhoseBoundsAreUnknown(t *testing.T) {
	r := start(t, everything)
	defer testonly.AllowBounds(true)
	for size, known := range map[uintptr]bool{100011: false, 100012: true} {
		testonly.AllowBounds(known)
		before := value(t, r, "stacks_unbounded")
		if err := victim.OnThread(func() { defer victim.Free(victim.Malloc(size)) }); err != nil {
			t.Fatal(err)
		}
		if !known && value(t, r, "stacks_unbounded") == before {
			t.Error("the stack is not counted")
		}
	}
	s := snapshot(t, r)
	unknown, known := s.framesOf(t, 100011), s.framesOf(t, 100012)
	if !slices.Equal(unknown, known) || len(known) < 5 {
		t.Errorf("%#x, but %#x on a thread whose bounds are known", unknown, known)
	}
}

// framesOf returns the stack of the one sample with blocks of this size.
func (s *Snapshot) framesOf(t *testing.T, size int64) []stack.Frame {
	t.Helper()
	for _, sample := range s.Samples {
		if sample.BlockSize == size {
			return sample.Frames
		}
	}
	t.Fatalf("no block of %d bytes", size)
	return nil
}

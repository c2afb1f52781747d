//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"fmt"
	"maps"
	"runtime"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

// A walk that learns from the last one of its thread against one that does not, on the same stacks.
func TestWalksThatLearn(t *testing.T) {
	runtime.LockOSThread() // one thread's walks follow each other
	defer runtime.UnlockOSThread()
	r := start(t, Options{SampleBytes: 1, MaxDepth: 128, TableBytes: 256 << 20})
	for seed := range uint64(rounds(4)) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			size := 70000 + int64(seed)
			want, got := make(map[string]int64), make(map[string]int64)
			for _, pcs := range victim.Wander(20000, uintptr(size), seed) {
				want[fmt.Sprint(pcs[1:])]++
			}
			for _, s := range snapshot(t, r).Samples {
				if s.BlockSize == size {
					got[callers(s.Frames)] += s.AllocObjects
				}
			}
			if len(want) < 1000 || !maps.Equal(want, got) {
				t.Errorf("%d stacks by walks of their own, %d recorded", len(want), len(got))
			}
		})
	}
}

// slides are calls of one function by several, and one that moves the goroutine's stack.
var (
	left  = slide{victim.SlideLeft, "victim_slide_left"}
	right = slide{victim.SlideRight, "victim_slide_right"}
	moved = slide{func(uintptr) unsafe.Pointer { victim.MoveStack(); return nil }, ""}
)

type slide struct {
	call   func(uintptr) unsafe.Pointer
	caller string // of the allocation; "" if there is none
}

// The words that the last walk read are still there, but belong to frames that are not this walk's.
func TestWalksThatDifferByTheFramePointerAlone(t *testing.T) {
	for name, order := range map[string][]slide{
		"in turn":                           {left, right, left, right, right, left},
		"after the goroutine's stack moved": {left, moved, left, right},
		"the other way round":               {right, moved, right, left},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, everything)
			const size = 77700
			atRoot(func() { // on a stack that is small yet
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				for i, way := range order {
					victim.Free(way.call(size + uintptr(i)))
				}
			})
			s := snapshot(t, r)
			for i, way := range order {
				if _, got := s.stackOf(t, size+int64(i)); way.caller != "" && (len(got) == 0 || got[0] != way.caller) {
					t.Errorf("call %d, of %s, is said to be by %v", i, way.caller, got)
				}
			}
		})
	}
}

func callers(frames []stack.Frame) string {
	var pcs []uint64
	for _, f := range frames[1:] {
		pcs = append(pcs, f.Address())
	}
	return fmt.Sprint(pcs)
}

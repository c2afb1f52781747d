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
	for seed := range uint64(4) {
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

// What the last walk read stands yet, at frames that are not this walk's.
func TestWalksThatDifferByTheFramePointerAlone(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r := start(t, everything)
	const each, size = 100, 77777
	for range each {
		for _, way := range []func(uintptr) unsafe.Pointer{victim.SlideLeft, victim.SlideRight} {
			victim.Free(way(size))
		}
	}
	got := make(map[string]int64)
	for _, s := range snapshot(t, r).Samples {
		if s.BlockSize == size {
			got[callers(s.Frames)] += s.AllocObjects
		}
	}
	if len(got) != 2 {
		t.Errorf("two callers are %d", len(got))
	}
	for stack, n := range got {
		if n != each {
			t.Errorf("%d of %d allocations have the stack %s", n, each, stack)
		}
	}
}

func callers(frames []stack.Frame) string {
	var pcs []uint64
	for _, f := range frames[1:] {
		pcs = append(pcs, f.Address())
	}
	return fmt.Sprint(pcs)
}

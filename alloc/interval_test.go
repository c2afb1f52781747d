//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/victim"
)

const (
	mostGap, leastGap = 64 << 10, 1 << 10
	changes           = 300
	perChange         = 3000
	changeSize        = 64
)

// allocateAcross allocates on a thread that draws its first gap before the change, and ends.
//
//go:noinline
func allocateAcross(t *testing.T, r *Recording, first, then int64) {
	runtime.LockOSThread()
	setGap(t, r, first)
	victim.Free(victim.Malloc(changeSize))
	setGap(t, r, then)
	victim.FreeList(victim.MallocList(perChange, changeSize))
}

func setGap(t *testing.T, r *Recording, n int64) {
	if err := r.SetSampleBytes(n); err != nil {
		t.Error(err)
	}
}

func TestTheIntervalChangesWhileRecording(t *testing.T) {
	// Changes in one direction only: what is wrong at one up and the next down cancels. A block that is dropped, or weighed
	// by the other gap, at each change is 9 standard errors.
	for _, gaps := range [][2]int64{{mostGap, leastGap}, {leastGap, mostGap}} {
		t.Run(fmt.Sprintf("from %d to %d, estimates stay unbiased", gaps[0], gaps[1]), func(t *testing.T) {
			o := everything
			o.SampleBytes, o.Seed = mostGap, 1
			r := start(t, o)
			for range changes {
				var thread sync.WaitGroup
				thread.Go(func() { allocateAcross(t, r, gaps[0], gaps[1]) })
				thread.Wait()
			}
			got := float64(sum(snapshot(t, r).through("allocateAcross")).AllocObjects)
			want := float64(changes * (perChange + 1))
			p := 1 - math.Exp(-(changeSize+1.0)/mostGap)
			if deviation := math.Sqrt(want * (1 - p) / p); math.Abs(got-want) > 4*deviation {
				t.Errorf("%.0f blocks, want %.0f ± %.0f", got, want, deviation)
			}
		})
	}

	t.Run("after a change to 1, and a sample, everything is recorded", func(t *testing.T) {
		o := everything
		o.SampleBytes = 1 << 10
		r := start(t, o)
		if err := r.SetSampleBytes(1); err != nil {
			t.Fatal(err)
		}
		runtime.LockOSThread() // each thread has a gap of its own
		defer runtime.UnlockOSThread()
		before, blocks := make([]unsafe.Pointer, 4000), make([]unsafe.Pointer, 100)
		fill(before)
		exact(blocks)
		n := sum(snapshot(t, r).through("exact")).InuseObjects
		free(blocks)
		free(before)
		if n != 100 {
			t.Errorf("%d of 100 blocks are in use", n)
		}
	})

	t.Run("a stopped recording refuses", func(t *testing.T) {
		r := start(t, everything)
		stop(t, r)
		if err := r.SetSampleBytes(1); !errors.Is(err, ErrStopped) {
			t.Error(err)
		}
	})
}

//go:noinline
func exact(blocks []unsafe.Pointer) {
	for i := range blocks {
		blocks[i] = victim.Malloc(16)
	}
}

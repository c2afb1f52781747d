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
	mostInterval, leastInterval = 64 << 10, 1 << 10
	changes                     = 300
	perChange                   = 3000
	changeSize                  = 64
)

// allocateAcross allocates on a thread that draws the bytes until its first sample before the change, and ends.
//
//go:noinline
func allocateAcross(t *testing.T, r *Recording, first, then int64) {
	runtime.LockOSThread()
	setInterval(t, r, first)
	victim.Free(victim.Malloc(changeSize))
	setInterval(t, r, then)
	victim.FreeList(victim.MallocList(perChange, changeSize))
}

func setInterval(t *testing.T, r *Recording, n int64) {
	if err := r.SetSampleBytes(n); err != nil {
		t.Error(err)
	}
}

func TestTheIntervalChangesWhileRecording(t *testing.T) {
	// Changes in one direction only: an error at a change up and one at the next change down cancel. A block that is dropped,
	// or weighed with the other interval, at each change is 9 standard errors.
	for _, intervals := range [][2]int64{{mostInterval, leastInterval}, {leastInterval, mostInterval}} {
		t.Run(fmt.Sprintf("from %d to %d, estimates stay unbiased", intervals[0], intervals[1]), func(t *testing.T) {
			o := everything
			o.SampleBytes, o.Seed = mostInterval, 1
			r := start(t, o)
			for range changes {
				var thread sync.WaitGroup
				thread.Go(func() { allocateAcross(t, r, intervals[0], intervals[1]) })
				thread.Wait()
			}
			got := float64(sum(snapshot(t, r).through("allocateAcross")).AllocObjects)
			want := float64(changes * (perChange + 1))
			p := 1 - math.Exp(-(changeSize+1.0)/mostInterval)
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
		runtime.LockOSThread() // each thread has an interval of its own
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
		if err := r.SetSampleBytes(1); !errors.Is(err, errStopped) {
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

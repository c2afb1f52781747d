//go:build go1.26

package kept

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// That finalizers end is progress, also where none of them frees. Go counts them by the hundred or so.
func TestCollectWaitsWhileFinalizersEnd(t *testing.T) {
	const finalizers, atOnce = 3000, 500
	may := make(chan bool, finalizers)
	defer close(may)
	var ran atomic.Int64
	for range finalizers {
		runtime.SetFinalizer(&sentinel{}, func(*sentinel) { <-may; ran.Add(1) })
	}
	allowed := int64(0)
	err := patience{time.Millisecond, time.Hour}.collect(func() uint64 {
		if allowed < finalizers {
			allowed += atOnce
			for range atOnce {
				may <- true
			}
		}
		for ran.Load() < allowed-1 { // the collector may find the last one later
			time.Sleep(time.Millisecond)
		}
		return 0
	})
	if err != nil || ran.Load() < finalizers-1 {
		t.Errorf("%d of %d have run: %v", ran.Load(), finalizers, err)
	}
}

// Cleanups run in no order: that of Collect may be the first.
func TestCollectWaitsForAllCleanups(t *testing.T) {
	const cleanups = 200
	var ended atomic.Int64
	for range cleanups {
		runtime.AddCleanup(&sentinel{}, func(ended *atomic.Int64) { time.Sleep(time.Millisecond); ended.Add(1) }, &ended)
	}
	if err := (patience{time.Minute, time.Minute}).collect(func() uint64 { return 0 }); err != nil || ended.Load() != cleanups {
		t.Errorf("%d of %d have run: %v", ended.Load(), cleanups, err)
	}
}

//go:build go1.26

package kept

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

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

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/victim"
)

// Two threads, one of which allocates what the other frees: what is counted for each of them drifts apart, and the sum is
// still what is in use.
func TestInUseIsOfOneMoment(t *testing.T) {
	const size = 64 << 10
	r := start(t, everything)
	held := victim.Malloc(8 << 20)
	defer victim.Free(held)
	least := r.InUse()
	victim.Free(victim.Malloc(4 << 20)) // the peak, far above what follows
	var done atomic.Bool
	var threads sync.WaitGroup
	blocks := make(chan unsafe.Pointer)
	threads.Go(func() {
		runtime.LockOSThread()
		for range rounds(200_000) {
			blocks <- victim.Malloc(size)
		}
		close(blocks)
	})
	threads.Go(func() {
		runtime.LockOSThread()
		for p := range blocks {
			victim.Free(p)
		}
		done.Store(true)
	})
	// One block is being freed, one waits to be, and one is being allocated; what threads have of their own comes and goes
	// too, and is less than another.
	most := least + 4*size
	lowest, highest := least, least
	for !done.Load() {
		now := r.InUse()
		lowest, highest = min(lowest, now), max(highest, now)
	}
	threads.Wait()
	if lowest < least-size || highest > most {
		t.Errorf("from %d to %d bytes in use, which are at least %d and at most %d", lowest, highest, least-size, most)
	}
}

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// granuleOf is the index of the filter's counter for an address.
func granuleOf(address uint64) uint64 { return address / layout.FilterGranule % layout.FilterSlots }

func filterCounter(granule uint64) int { return int(region()[layout.Filter+granule]) }

// liveGranules counts the blocks of the live table in each granule.
func liveGranules() map[uint64]int {
	counts := make(map[uint64]int)
	for level := range uint64(layout.Levels) {
		at := region().Load64(layout.HeaderLevels + 8*level)
		if at == 0 {
			break
		}
		for i := range uint64(layout.LevelBuckets<<level) * layout.BucketSlots {
			address := region().Load64(at + i/layout.BucketSlots*layout.SizeofBucket + layout.BucketKeys + i%layout.BucketSlots*8)
			if address > layout.KeyReserved {
				counts[granuleOf(address)]++
			}
		}
	}
	return counts
}

func TestTheFilterCountsAgainAfterEverythingWasRecorded(t *testing.T) {
	const many, kept = 100000, 100
	r := start(t, everything)
	blocks := make([]unsafe.Pointer, many)
	exact(blocks)
	free(blocks[kept:])
	setInterval(t, r, 1<<30) // nothing is sampled from here
	snapshot(t, r)
	live := liveGranules()
	for _, p := range blocks[:kept] {
		if g := granuleOf(uint64(uintptr(p))); live[g] == 0 {
			t.Errorf("the live table lacks the block at %p", p)
		}
	}
	wrong, sum := 0, 0
	for g := range uint64(layout.FilterSlots) {
		if filterCounter(g) < live[g] {
			t.Errorf("the filter counts %d of %d blocks in granule %d", filterCounter(g), live[g], g)
		}
		if filterCounter(g) != live[g] {
			wrong++
		}
		sum += live[g]
	}
	// Other threads of the test allocate and free a little at any time.
	if wrong > 20 || sum < kept {
		t.Errorf("%d of the filter's counters differ from the %d blocks in use", wrong, sum)
	}
	free(blocks[:kept])
}

func TestNoFreeIsMissedWhileTheFilterIsRecounted(t *testing.T) {
	const threads, rounds, batch = 4, 200, 200
	r := start(t, everything)
	var running, changing sync.WaitGroup
	done := make(chan struct{})
	changing.Go(func() {
		for {
			setInterval(t, r, 64)
			setInterval(t, r, 1)
			select {
			case <-done:
				return
			default:
			}
		}
	})
	for range threads {
		running.Go(func() {
			runtime.LockOSThread()
			for range rounds {
				victim.FreeList(victim.MallocList(batch, 7011))
			}
		})
	}
	running.Wait()
	close(done)
	changing.Wait()
	if v := ofSize(t, r, 7011); v.InuseObjects != 0 || v.AllocObjects == 0 {
		t.Errorf("%d blocks in use, %d allocated", v.InuseObjects, v.AllocObjects)
	}
	lossless(t, r)
}

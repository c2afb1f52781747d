//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"errors"
	"math"
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// An account reads the ranges before it looks at pages. What a heap grows by in between is malloc's too.
func TestHeapsThatGrowAfterwards(t *testing.T) {
	victim.AllowArenas(28)
	first := victim.Keep(victim.Kept{Threads: 27, Blocks: 100, Size: 5000, Every: 1})
	known := make(map[uint64]account.Range)
	for _, r := range ofGlibc(t).Ranges {
		known[r.Start] = r
	}
	grown := victim.Keep(victim.Kept{Threads: 27, Blocks: 500, Size: 5000, Every: 1})
	defer func() { free(first); free(grown); Trim() }()
	inside, outside := 0, 0
	for _, block := range grown {
		address := uint64(uintptr(block))
		if r, ok := known[address&^(heapMost-1)]; ok && address < r.Limit {
			inside++
		} else if ok {
			outside++
		}
	}
	if inside < 5000 || outside > 0 {
		t.Errorf("%d new blocks lie in the ranges of heaps that were known, and %d behind them", inside, outside)
	}
}

// The program goes on while its heaps are read.
func TestHeapsThatChange(t *testing.T) {
	victim.AllowArenas(28)
	var stop atomic.Bool
	done := make(chan bool)
	go func() {
		for !stop.Load() {
			for _, kind := range kinds {
				kind.Blocks /= 20
				free(victim.Keep(kind))
			}
		}
		done <- true
	}()
	for range 100 {
		k, found := glibc(processorTime().Add(longEnough))
		if found && k.HasResidency && (k.FreeResident > k.Free || k.Trimmable > k.FreeResident || k.Pinned > k.FreeResident || k.ShareRead > 1) {
			t.Errorf("%+v", k)
		}
		runtime.Gosched()
	}
	stop.Store(true)
	<-done
}

// heapIn makes a heap of chunk headers, size by size; an odd size says that the chunk before it is in use.
func heapIn(t *testing.T, sizes ...uint64) heap {
	t.Helper()
	memory := make([]uint64, 1<<13)
	start := uint64(uintptr(unsafe.Pointer(&memory[0])))
	t.Cleanup(func() { runtime.KeepAlive(memory) })
	at, last := uint64(0), uint64(0)
	for _, size := range sizes {
		memory[at/8], memory[at/8+1] = last, size
		last = size &^ chunkFlags
		at += last
	}
	return heap{Range: account.Range{Start: start, Limit: start + at}, first: start, arena: &arena{main: true}, newest: true}
}

func TestHeapsThatAreNone(t *testing.T) {
	for about, c := range map[string]struct {
		sizes []uint64
		want  error
	}{
		"a heap":                    {[]uint64{65, 33, 32, 1025}, nil},
		"one chunk":                 {[]uint64{4097}, nil},
		"an odd size":               {[]uint64{65, 41, 1025}, errChunk},
		"a chunk that is too small": {[]uint64{65, 17 + 8, 1025}, errChunk},
	} {
		h := heapIn(t, c.sizes...)
		_, _, err := walkHeap(h, residencyOf(h.Range), nil, processorTime().Add(longEnough))
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", about, err, c.want)
		}
	}
	for _, more := range []uint64{64, math.MaxUint64 - 63} {
		h := heapIn(t, 65, 33, 1025)
		h.Limit += more
		if _, _, err := walkHeap(h, residencyOf(h.Range), nil, processorTime().Add(longEnough)); !errors.Is(err, errChunk) {
			t.Errorf("chunks that end %d bytes before the heap: %v", int64(more), err)
		}
	}
}

func TestDataWithoutAnArena(t *testing.T) {
	for _, n := range []int{0, 1, 300, 10000} {
		if a, found := mainArena(words{4096, make([]byte, 8*n)}); found {
			t.Errorf("%d words of zeroes are the arena %+v", n, a)
		}
	}
	if _, found := readArena(1 << 20); found {
		t.Error("there is an arena where nothing is mapped")
	}
}

// The first arena's heap is known by its own figures, too. Where brk failed, its memory lies elsewhere, and neither way has it.
func TestTheFirstHeapWithoutTheKernelsFiles(t *testing.T) {
	defer free(victim.Keep(victim.Kept{Threads: 1, Blocks: 100, Size: 5000, Every: 1}))
	with := ofGlibc(t)
	defer func() { proc = "/proc" }()
	proc = t.TempDir()
	without := ofGlibc(t)
	if a, b := with.Ranges[0], without.Ranges[0]; a.Limit != b.Limit || b.Start < a.Start || b.Start >= a.Start+searched || !without.HasResidency {
		t.Errorf("the heap is %+v, without the kernel's files %+v", a, b)
	}
}

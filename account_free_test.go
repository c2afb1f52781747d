//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/malloc"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// lineOf returns the resident bytes of a line, or 0.
func lineOf(t *testing.T, p *Profiler, name string) int64 {
	t.Helper()
	a, err := p.Account()
	if err != nil || a.Partial != "" {
		t.Fatal(err, a)
	}
	for _, l := range a.Lines {
		if l.Name == name {
			return l.Resident
		}
	}
	return 0
}

// Blocks of half a page, of which one in fifty stays: malloc keeps nearly all of the memory.
func TestFreedMemoryThatMallocKeepsIsALine(t *testing.T) {
	const blocks, size, kept = 50_000, 2000, 50
	p := start(t, everything)
	defer func(d time.Duration) { lookingTime = d }(lookingTime)
	lookingTime = time.Minute // on a busy machine it would not be enough for all of it
	before := lineOf(t, p, account.Free)
	list := make([]unsafe.Pointer, blocks)
	for i := range list {
		list[i] = profiletest.Leak(size)
		clear(unsafe.Slice((*byte)(list[i]), size))
	}
	if got := lineOf(t, p, account.Native); got < blocks*size {
		t.Errorf("%d in use, of which %d are known", got, blocks*size)
	}
	for i, block := range list {
		if i%kept == 0 {
			defer victim.Free(block)
		} else {
			victim.Free(block)
		}
	}
	freed := int64(blocks * size / kept * (kept - 1))
	free := lineOf(t, p, account.Free)
	if free-before < freed*9/10 {
		t.Errorf("%d free, before it was %d, and %d were freed", free, before, freed)
	}
	a, err := p.Account()
	if err != nil || len(a.Advice) == 0 || !strings.Contains(a.String(), a.Advice[0]) {
		t.Errorf("there is no advice: %v, %v", a, err)
	}
	if given := p.Trim(); given < freed/2 {
		t.Errorf("a trim returned %d of %d", given, free)
	}
	if after := lineOf(t, p, account.Free); after > free-freed/2 {
		t.Errorf("%d free after a trim, before it was %d", after, free)
	}
}

// The older blocks of a heap are not like the younger ones, and there is only time to read those.
func TestFreeMemoryIsEstimatedWhereItWasNotRead(t *testing.T) {
	const blocks, size, old = 400_000, 400, 120_000
	defer func(d time.Duration) { lookingTime = d }(lookingTime)
	for name, config := range map[string]Config{"exact": everything, "sampled": {SampleBytes: 16 << 10}} {
		t.Run(name, func(t *testing.T) {
			runtime.LockOSThread() // one arena
			defer runtime.UnlockOSThread()
			p := start(t, config)
			lookingTime = time.Minute
			p.Trim() // what others have freed would be used again
			free, unrecorded := lineOf(t, p, account.Free), lineOf(t, p, account.Unrecorded)
			list := make([]unsafe.Pointer, blocks)
			for i := range list {
				list[i] = profiletest.Leak(size)
				clear(unsafe.Slice((*byte)(list[i]), size))
			}
			var freed int64
			for i, block := range list {
				if kept := i < old && i%2 == 0 || i >= old && i%40 == 0; kept {
					defer victim.Free(block)
				} else {
					victim.Free(block)
					freed += size
				}
			}
			share, a := 0.0, (*Account)(nil)
			for lookingTime = 200 * time.Microsecond; share < 0.05; lookingTime *= 2 {
				var err error
				if a, err = p.Account(); err != nil || len(a.Malloc) != 1 {
					t.Fatal(a, err)
				}
				share = a.Malloc[0].ShareRead
			}
			lines := make(map[string]int64)
			for _, l := range a.Lines {
				lines[l.Name] = l.Resident
			}
			t.Logf("%.0f %% was read", 100*share)
			if got := lines[account.Free] - free; got < freed*8/10 || got > freed*12/10 {
				t.Errorf("%d free, and %d were freed", got, freed)
			}
			if got := lines[account.Unrecorded] - unrecorded; got > freed/10 {
				t.Errorf("%d in use and not recorded", got)
			}
			if a.Malloc[0].Free != lines[account.Free] {
				t.Errorf("%d free, and by the allocator's figures %d", lines[account.Free], a.Malloc[0].Free)
			}
			if share < malloc.EnoughRead && (len(a.Advice) != 1 || !strings.Contains(a.Advice[0], "too little to say")) {
				t.Errorf("%q", a.Advice)
			}
		})
	}
}

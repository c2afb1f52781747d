//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"io"
	"runtime"
	"testing"

	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// taken returns how much memory a profile takes, in Go's heap and beside it. Other goroutines allocate too, so it is the least of some.
func taken(t *testing.T, p *Profiler, s Selection) (inHeap, beside int64) {
	t.Helper()
	for i := range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		scratch.Held()
		if err := p.Write(io.Discard, s); err != nil {
			t.Fatal(err)
		}
		_, most := scratch.Held()
		runtime.ReadMemStats(&after)
		allocated := int64(after.TotalAlloc - before.TotalAlloc)
		if i == 0 {
			inHeap, beside = allocated, most
		}
		inHeap, beside = min(inHeap, allocated), min(beside, most)
	}
	return inHeap, beside
}

// docs/account.md has these bounds.
func TestMemoryOfTheViewOfRSS(t *testing.T) {
	const count, size, page = 10_000, 70 << 10, 4096
	p := start(t, everything)
	for range count {
		at := victim.Map(nil, page, false)
		*(*byte)(at) = 1
		t.Cleanup(func() { _ = victim.Unmap(at, page) })
		block := victim.Malloc(size)
		t.Cleanup(func() { victim.Free(block) })
	}
	whole := Selection{GoHeap: true}
	if _, err := p.Account(); err != nil { // what is made once
		t.Fatal(err)
	}
	inHeap, beside := taken(t, p, whole)
	inHeapRSS, besideRSS := taken(t, p, Selection{View: ViewRSS()})
	const ofMappings, ofBlocks, always = 900, 500, 3 << 20
	if more := inHeapRSS + besideRSS - inHeap - beside; more > count*(ofMappings+ofBlocks)+always || more < count*100 {
		t.Errorf("view=rss takes %d bytes more than %d", more, inHeap+beside)
	}
	t.Logf("%d in Go's heap and %d beside it, heap=all %d and %d", inHeapRSS, besideRSS, inHeap, beside)
}

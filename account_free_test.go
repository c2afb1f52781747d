//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/account"
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

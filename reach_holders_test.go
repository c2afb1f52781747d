//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"encoding/binary"
	"io"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/goparts"
	"github.com/cgoheap/cgoheap/internal/peek"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/victim"
)

const hidden = 1 << 63 // in an address: no pointer looks so

// lostBlocks allocates blocks and keeps their addresses hidden, ascending.
//
//go:noinline
func lostBlocks(n int, size func(i int) uintptr) (blocks [][2]uint64) {
	for i := range n {
		at := uint64(uintptr(allocate(size(i))))
		blocks = append(blocks, [2]uint64{at | hidden, uint64(size(i))})
	}
	slices.SortFunc(blocks, func(a, b [2]uint64) int { return int(a[0]>>4) - int(b[0]>>4) })
	return blocks
}

func freeLost(blocks [][2]uint64) {
	for _, b := range blocks {
		at := b[0] &^ hidden
		victim.Free(*(*unsafe.Pointer)(unsafe.Pointer(&at)))
	}
}

// onHeap is on Go's heap.
var onHeap *uint64

func collect() {
	runtime.GC()
	runtime.GC()
}

// pointing returns how many words of Go's memory in use point into blocks.
func pointing(t *testing.T, blocks [][2]uint64) (inHeap, inStacks int) {
	t.Helper()
	parts, err := goparts.Read()
	if err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 1<<20)
	for _, p := range parts {
		for at := p.Start; at < p.Limit; {
			n := peek.Copy(buffer[:min(uint64(len(buffer)), p.Limit-at)], at)
			for j := 0; j+8 <= n; j += 8 {
				if points(binary.NativeEndian.Uint64(buffer[j:]), blocks) && p.Stack {
					inStacks++
				} else if points(binary.NativeEndian.Uint64(buffer[j:]), blocks) {
					inHeap++
				}
			}
			at += uint64(max(n, 8))
		}
	}
	return inHeap, inStacks
}

func points(word uint64, blocks [][2]uint64) bool {
	i, found := slices.BinarySearchFunc(blocks, word|hidden, func(b [2]uint64, w uint64) int {
		if b[0]+b[1] <= w {
			return -1
		} else if b[0] > w {
			return 1
		}
		return 0
	})
	return found && word < hidden && i >= 0
}

// bounds is how many words may be bounds of mappings, which look like pointers to the blocks that lie there: the program goes on
// between the copy and the look at its parts.
const bounds = 3

// What the profiler keeps on Go's heap must not make a block look as if the program held it. Blocks of this test would lie where
// recordings of earlier ones lay.
func TestTheProfilersOwnObjectsPointToNoBlock(t *testing.T) {
	if !profiletest.Afresh(t) {
		return
	}
	p := start(t, everything)
	b, err := p.Baseline()
	if err != nil {
		t.Fatal(err)
	}
	blocks := lostBlocks(3000, func(i int) uintptr { return []uintptr{24, 100, 3000, 200 << 10}[min(i%100, 3)] })
	defer freeLost(blocks)
	collect()
	before, _ := pointing(t, blocks)
	onHeap = &[]uint64{blocks[len(blocks)/2][0]&^hidden + 8}[0]
	collect()
	if inHeap, _ := pointing(t, blocks); inHeap <= before || inHeap > before+1+bounds {
		t.Errorf("one more word on Go's heap points to a block: %d were found, and %d before", inHeap, before)
	}
	onHeap = nil
	write := func(v View) func() error {
		return func() error { return p.Write(io.Discard, Selection{View: v}) }
	}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"nothing", func() error { return nil }},
		{"inuse", write(ViewInUse())}, {"peak", write(ViewPeak())}, {"age", write(ViewAge(0))}, {"rss", write(ViewRSS())},
		{"growth", write(ViewGrowth(b))},
		{"account", func() error { _, err := p.Account(); return err }},
		{"text", func() error { profiletest.Ask(p.Handler(), "debug=1"); return nil }},
		{"pages", func() error { profiletest.Ask(p.PagesHandler(), ""); return nil }},
		{"stats", func() error { p.Stats(); return nil }},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		collect()
		inHeap, inStacks := pointing(t, blocks)
		t.Logf("%s: %d words on Go's heap, %d in goroutines' stacks", step.name, inHeap, inStacks)
		if inHeap > before+bounds {
			t.Errorf("after %s, %d words on Go's heap point to blocks, and %d before", step.name, inHeap, before)
		}
	}
}

// An account copies malloc's heaps, with the pointers that blocks have: a list of lost blocks. Its garbage remains without a collection.
func TestTheGarbageOfAnAccountPointsToNoBlock(t *testing.T) {
	if !profiletest.Afresh(t) {
		return
	}
	p := start(t, everything)
	blocks := lostBlocks(3000, func(i int) uintptr { return uintptr(200 + 10*i) })
	defer freeLost(blocks)
	for i := range blocks[1:] {
		at := blocks[i][0] &^ hidden
		**(**uint64)(unsafe.Pointer(&at)) = blocks[i+1][0] &^ hidden
	}
	collect()
	profiletest.WithoutCollections(t)
	before, _ := pointing(t, blocks)
	for range 3 {
		if _, err := p.Account(); err != nil {
			t.Fatal(err)
		}
	}
	if after, _ := pointing(t, blocks); after > before+len(blocks)/30 { // of bounds, and of lists before they are so long that they lie outside
		t.Errorf("%d words on Go's heap point to blocks, %d before the accounts", after, before)
	}
}

// Without a collection, its garbage remains: bounds of mappings, and the first large blocks of a list before it is long enough to lie
// outside of Go's heap. It must be less than one word for each block and view.
func TestTheProfilersGarbagePointsToFewBlocks(t *testing.T) {
	p := start(t, everything)
	blocks := lostBlocks(2000, func(int) uintptr { return 200 << 10 })
	defer freeLost(blocks)
	profiletest.WithoutCollections(t)
	before, _ := pointing(t, blocks)
	for range 3 {
		if err := p.Write(io.Discard, Selection{View: ViewRSS()}); err != nil {
			t.Fatal(err)
		}
	}
	if after, _ := pointing(t, blocks); after-before > len(blocks) {
		t.Errorf("%d words on Go's heap point to %d blocks, and %d before", after, len(blocks), before)
	}
}

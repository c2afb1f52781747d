//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package reach

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/gospans"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/twin"
	"github.com/cgoheap/cgoheap/internal/victim"
)

func TestWordsThatHoldManyBytesAreAmongTheFew(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		f, truth, all := make(few), make(map[uint64]float64), 0.0
		for range 2000 {
			word, bytes := uint64(random.IntN(500)), float64(1+random.IntN(100))
			if random.IntN(3) > 0 {
				word = uint64(random.IntN(6))
			}
			f.add(word, int(word), bytes)
			truth[word] += bytes
			all += bytes
		}
		if len(f) > mostWords {
			t.Fatalf("%d words are kept", len(f))
		}
		for word, bytes := range truth {
			if got := f[word].bytes; got > bytes || got < bytes-all/(mostWords+1) {
				t.Errorf("word %d has %v of %v bytes, and all %v", word, got, bytes, all)
			}
		}
	}
}

// Of a block that only the first of two copies found to be held, what that found is kept: so chains may lead in a ring.
func TestAChainBeginsInItsFirstBlock(t *testing.T) {
	f := &Findings{found: []twin.Found{
		{Holder: 8, RootWord: 8}, {Holder: 1, RootWord: 8, Through: 1}, {Holder: 1, RootWord: 8, Through: 2},
		{Holder: 1, RootWord: 16, Through: 5}, {Holder: 1, RootWord: 16, Through: 4}, {Holder: lowEnd, RootWord: 24},
	}}
	for _, order := range [][]int{{0, 1, 2, 3, 4, 5}, {5, 4, 3, 2, 1, 0}, {2, 1, 0, 3, 4, 5}} {
		var memory scratch.Memory
		d := f.doubts(&memory)
		for _, i := range order {
			word, first := d.word(i)
			if want := []uint64{8, 8, 8, 16, 16, lowEnd}[i]; word != want || i < 3 && first != 0 {
				t.Errorf("in the order %v, the chain to %d begins at %d in %d", order, i, word, first)
			}
		}
		memory.Free()
	}
}

// What numbers may hold is reckoned from the chains that were looked at.
func TestWhatWasNotLookedAtIsDoubtedLikeTheRest(t *testing.T) {
	var memory scratch.Memory
	defer memory.Free()
	d := (&Findings{}).doubts(&memory)
	l := low{bytes: 1000, looked: 500, midst: 100, offsets: few{16: {bytes: 40}}}
	if got := d.doubted(&l); got != 120 {
		t.Errorf("%v of 1000 bytes are doubted, want 120", got)
	}
}

func TestTheFirstByteOfABlockIsToldFromOthers(t *testing.T) {
	for _, size := range []uintptr{1, 100, 1000, 50_000} {
		blocks := make([]unsafe.Pointer, 20)
		for i := range blocks {
			blocks[i] = victim.Malloc(size)
			clear(unsafe.Slice((*byte)(blocks[i]), size))
		}
		for _, b := range blocks[:len(blocks)-1] {
			at := uint64(uintptr(b))
			if !isChunk(at) || isChunk(at+8) || size > 50 && (isChunk(at+16) || isChunk(at+uint64(size)/2&^15)) {
				t.Errorf("of a block of %d bytes, its first byte counts as one: %t", size, isChunk(at))
			}
		}
		for _, b := range blocks {
			victim.Free(b)
		}
	}
	if isChunk(0) || isChunk(16) || isChunk(1<<63) {
		t.Error("where nothing is, a block begins")
	}
}

// What Go's runtime has for itself is left out, and none of its heap, where a program may have its pointers.
func TestWhatTheRuntimeHasIsToldFromItsHeap(t *testing.T) {
	layout, err := gospans.Find()
	if err != nil {
		t.Fatal(err)
	}
	object := new([1 << 10]*int)
	at, sum := uint64(uintptr(unsafe.Pointer(object))), uint64(0)
	for _, r := range ofRuntime(cgo.GoPages(), layout.Holds) {
		if r.Start <= at && at < r.Limit || r.Start >= r.Limit || r.Limit-r.Start > largestPart {
			t.Errorf("%#x is left out, and an object is at %#x", r, at)
		}
		sum += r.Limit - r.Start
	}
	if !layout.Holds(at) || sum == 0 {
		t.Errorf("%d bytes of the runtime's are known", sum)
	}
	const arena = gospans.ArenaBytes
	got := ofRuntime([]cgo.Mapped{{Start: arena - largestPart/2, Limit: 2*arena + largestPart + 4096}, {Start: 4096, Limit: 8192}},
		func(address uint64) bool { return address/arena == 1 })
	want := []account.Range{{Start: arena - largestPart/2, Limit: arena}, {Start: 2 * arena, Limit: 2*arena + largestPart},
		{Start: 2*arena + largestPart, Limit: 2*arena + largestPart + 4096}, {Start: 4096, Limit: 8192}}
	if len(got) != len(want) {
		t.Fatalf("%#x, want %#x", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%#x, want %#x", got[i], want[i])
		}
	}
}

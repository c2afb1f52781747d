//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"

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

// A thread that loses its processor while it changes a heap has it back in time.
func TestAHeapThatIsBeingChangedIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin, tries := time.Now(), 0
		_, err := await(func() (layout, error) {
			if tries++; time.Since(begin) < 25*time.Millisecond {
				return layout{}, errLayout
			}
			return layout{}, nil
		})
		if err != nil || tries < 2 {
			t.Errorf("%v after %d tries", err, tries)
		}
		tries = 0
		if _, err := await(func() (layout, error) { tries++; return layout{}, errLayout }); !errors.Is(err, errLayout) || tries != len(waits) {
			t.Errorf("%v after %d tries", err, tries)
		}
	})
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
	for about, c := range map[string]struct {
		sizes []uint64
		main  bool
		want  error
	}{
		"before memory of others":                  {[]uint64{65, 33, 17, 17}, true, nil},
		"before memory of others, without fences":  {[]uint64{65, 33, 33}, true, errChunk},
		"another arena's, with a fence of another": {[]uint64{65, 33, 17, 17}, false, errChunk},
	} {
		h := heapIn(t, c.sizes...)
		h.newest, h.arena.main = false, c.main
		if _, _, err := walkHeap(h, residencyOf(h.Range), nil, processorTime().Add(longEnough)); !errors.Is(err, c.want) {
			t.Errorf("a heap that ends %s: %v, want %v", about, err, c.want)
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

// From where the walk goes back to, chunks in fast bins are free once more.
func TestAWalkThatGoesBackCountsFastChunksAgain(t *testing.T) {
	far := pageSize
	h := heapIn(t, 65, far+1, 33, 33, 33, far+1, 65, 4*far+1)
	fast := []uint64{(h.Start + 64 + far) | hidden, (h.Start + 64 + far + 64) | hidden}
	w := walk{heap: h, fast: fast, deadline: processorTime().Add(longEnough)}
	w.memory.residency = residencyOf(h.Range)
	if !w.begin() {
		t.Fatal("there is no chunk")
	}
	for w.at|hidden <= fast[1] {
		if _, err := w.step(); err != nil {
			t.Fatal(err)
		}
	}
	if before := w.at; !w.back() || w.at >= before || w.at > fast[1] {
		t.Fatalf("from %d it went back to %d, and the last fast chunk is at %d", before-h.Start, w.at-h.Start, fast[1]-h.Start)
	}
	for done := false; !done; {
		var err error
		if done, err = w.step(); err != nil {
			t.Fatal(err)
		}
	}
	if want := uint64(4*far + 2*32); w.counts.free != want {
		t.Errorf("%d bytes are free, want %d", w.counts.free, want)
	}
}

// What a trim returns begins at the first page behind a free chunk's header and links.
func TestWholePagesAreThoseBehindTheLinks(t *testing.T) {
	var w walk
	w.memory.residency = residency{0, []byte{1, 1, 1, 0, 1}}
	for _, c := range []struct{ start, limit, want uint64 }{
		{pageSize - 48, 3 * pageSize, 2 * pageSize}, {pageSize - 32, 3 * pageSize, pageSize}, {pageSize - 16, 3 * pageSize, pageSize},
		{pageSize, 3 * pageSize, pageSize}, {pageSize - 48, 3*pageSize - 16, pageSize}, {pageSize - 32, 2 * pageSize, 0},
		{pageSize - 48, 5 * pageSize, 3 * pageSize}, {pageSize - 32, pageSize + 64, 0},
	} {
		if got := w.wholePages(c.start, c.limit); got != c.want {
			t.Errorf("a free chunk from %d to %d: %d bytes in whole resident pages, want %d", c.start, c.limit, got, c.want)
		}
	}
}

func TestRangesWithoutOthers(t *testing.T) {
	r := func(start, limit uint64) account.Range { return account.Range{Start: start, Limit: limit} }
	for _, c := range []struct{ ranges, others, want []account.Range }{
		{[]account.Range{r(10, 20)}, nil, []account.Range{r(10, 20)}},
		{[]account.Range{r(10, 20), r(30, 40)}, []account.Range{r(0, 10), r(12, 14), r(14, 15), r(18, 33), r(39, 50)},
			[]account.Range{r(10, 12), r(15, 18), r(33, 39)}},
		{[]account.Range{r(10, 20)}, []account.Range{r(5, 25)}, nil},
	} {
		if diff := cmp.Diff(c.want, without(c.ranges, c.others)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
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

// fullArena makes the variables of malloc where each bin but the last has a chunk, as in a program that has freed blocks of all sizes.
func fullArena(t *testing.T) (data words, address uint64) {
	memory := make([]uint64, 1024)
	t.Cleanup(func() { runtime.KeepAlive(memory) })
	first := &memory[uintptr(unsafe.Pointer(&memory[0]))/8%2]
	data = words{uint64(uintptr(unsafe.Pointer(first))), unsafe.Slice((*byte)(unsafe.Pointer(first)), 1000*8)}
	address = data.from + 320
	set := func(at, value uint64) { binary.LittleEndian.PutUint64(data.data[at-data.from:], value) }
	for bin := range uint64(bins) {
		at := address + arenaBins + 16*bin
		chunk := uint64(0x55550000_0000) + 4096*bin
		if bin == bins-1 {
			chunk = at - 16
		}
		set(at, chunk)
		set(at+8, chunk)
	}
	set(address+arenaTop, 0x55550100_0000)
	set(address+arenaNext, address)
	return data, address
}

func TestTheFirstArenaIsFoundHoweverFullItsBinsAre(t *testing.T) {
	data, address := fullArena(t)
	if a, found := mainArena(data); !found || a.address != address || !a.main {
		t.Errorf("%v, %#x, want %#x", found, a.address, address)
	}
	for _, at := range []uint64{arenaBins, arenaBins + 16*60 + 8, arenaTop} {
		data, address := fullArena(t)
		data.data[address+at-data.from] |= 4
		if a, found := mainArena(data); found {
			t.Errorf("with a pointer at %d that is none, an arena is found at %#x", at, a.address)
		}
	}
}

// Freed blocks of each size leave a chunk in nearly each bin.
func TestHeapsWithFullBins(t *testing.T) {
	const again = "CGOHEAP_TEST_FULL_BINS"
	if os.Getenv(again) == "" {
		command := exec.Command(os.Args[0], "-test.run=^TestHeapsWithFullBins$", "-test.v")
		command.Env = append(os.Environ(), again+"=1",
			"GLIBC_TUNABLES=glibc.malloc.arena_max=1:glibc.malloc.tcache_count=0:glibc.malloc.mxfast=0:glibc.malloc.mmap_threshold=33554432")
		output, err := command.CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, output)
		} else if strings.Contains(string(output), "--- SKIP") {
			t.Skip("this libc has no arenas")
		}
		return
	}
	ofGlibc(t)
	var blocks, between []unsafe.Pointer
	for chunk := uintptr(32); chunk < 2<<20; chunk += max(16, chunk/64&^15) {
		blocks, between = append(blocks, victim.Malloc(chunk-8)), append(between, victim.Malloc(24))
	}
	free(blocks)
	between = append(between, victim.Malloc(8<<20)) // this sorts what was freed
	defer func() { free(between); Trim() }()
	l, err := findHeaps()
	if err != nil {
		t.Fatal(err)
	}
	w, _ := wordsAt(l.arenas[0].address, arenaSize/8)
	full := 0
	for bin := range uint64(bins) {
		if !w.emptyBin(l.arenas[0].address, bin) {
			full++
		}
	}
	if k := ofGlibc(t); full < 110 || k.ShareRead != 1 || k.Free < 16<<20 {
		t.Errorf("%d bins have chunks, %d bytes are free in %g of the heaps", full, k.Free, k.ShareRead)
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

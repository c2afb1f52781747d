//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/internal/victim"
)

const mapFrom = 128 << 10

// Two roads to how many blocks are mapped one by one: glibc's variables, and its function.
func TestCountsOfBlocksApartAgreeWithMallinfo(t *testing.T) {
	ofGlibc(t)
	victim.MapBlocksFrom(mapFrom)
	for _, n := range []int{1, 5} {
		for range n {
			apartBlock(t, 0, 1<<20)
		}
		ofGlibc(t)
		l, err := findHeaps()
		if err != nil {
			t.Fatal(err)
		}
		p, found := findParameters(l.data, l.heaps[0][0].Range)
		got, ok := p.read()
		if want := mallinfo2(cgo.RealFunction("mallinfo2")).apart; !found || !ok || got != want || got.blocks < uint64(n) {
			t.Errorf("%+v %v %v, mallinfo2 has %+v", got, found, ok, want)
		}
	}
}

// apartBlock allocates a block that is mapped alone, and touches all of it. What earlier tests have freed in this thread's arena is
// taken first.
func apartBlock(t *testing.T, alignment, size uintptr) account.Block {
	t.Helper()
	block := allocated(t, alignment, size)
	for *(*uint64)(unsafe.Add(block, -8))&headerApart == 0 {
		block = allocated(t, alignment, size)
	}
	clear(unsafe.Slice((*byte)(block), size))
	start := uint64(uintptr(block))
	return account.Block{Range: account.Range{Start: start, Limit: start + uint64(size)}}
}

// allocated allocates a block until the end of the test.
func allocated(t *testing.T, alignment, size uintptr) unsafe.Pointer {
	t.Helper()
	block := victim.Malloc(size)
	if alignment > 0 {
		victim.Free(block)
		block = victim.PosixMemalign(alignment, size)
	}
	t.Cleanup(func() { victim.Free(block) })
	return block
}

// accountOf makes an account of the process with the recorded blocks, and returns its lines.
func accountOf(t *testing.T, k *Kept, recorded []account.Block) map[string]account.Line {
	t.Helper()
	var memory scratch.Memory
	defer memory.Free()
	blocks := slices.Clone(recorded)
	slices.SortFunc(blocks, func(a, b account.Block) int { return int(int64(a.Start) - int64(b.Start)) })
	v := account.Take(usage.Running, &account.Sources{Malloc: []account.Malloc{k.Malloc}, Blocks: blocks}, &memory)
	lines := make(map[string]account.Line)
	a := v.Account(account.Recorded{})
	for _, l := range a.Lines {
		lines[l.Name] = l
	}
	if a.Err != nil {
		t.Error(a.Err)
	}
	return lines
}

// Blocks that glibc mapped one by one before the recording are malloc's. Recorded ones are so anyway; sizes of one kind are in both.
func TestBlocksApartThatAreNotRecordedAreMallocs(t *testing.T) {
	ofGlibc(t)
	victim.MapBlocksFrom(mapFrom)
	var recorded []account.Block
	var before uint64
	for i := range uintptr(12) {
		alignment := [...]uintptr{0, 0, 64, 1 << 16}[i%4]
		if b := apartBlock(t, alignment, 200_000+5000*i); i%3 == 0 {
			recorded = append(recorded, b)
		} else {
			before += b.Limit - b.Start
		}
	}
	with := ofGlibc(t)
	without := with
	if without.Apart = nil; with.Apart == nil {
		t.Fatal("glibc's figures were not found")
	}
	a, b := accountOf(t, &with, recorded), accountOf(t, &without, recorded)
	moved := b[account.CallerUnknown].Resident - a[account.CallerUnknown].Resident
	first, _ := mallinfoCounts()
	if moved < int64(before) || moved > int64(first.bytes) {
		t.Errorf("%d bytes are malloc's, want at least %d, of %d", moved, before, first.bytes)
	}
	if more := a[account.Unrecorded].Resident - b[account.Unrecorded].Resident; more < moved-1<<20 || more > moved+1<<20 {
		t.Errorf("%s grew by %d, want %d", account.Unrecorded, more, moved)
	}
	if text := a[account.CallerUnknown].Sentence; strings.Contains(text, "one by one") {
		t.Error(text)
	}

	// Memory that looks like such a block, and is none.
	decoy, err := unix.Mmap(-1, 0, 64*int(pageSize), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(decoy) }()
	for i := 0; i < len(decoy); i += 2 * int(pageSize) {
		binary.LittleEndian.PutUint64(decoy[i+chunkSize:], pageSize|headerApart)
	}
	c := accountOf(t, &with, recorded)
	if who := c[account.CallerUnknown]; who.Resident < b[account.CallerUnknown].Resident || !strings.Contains(who.Sentence, "one by one") {
		t.Errorf("with other memory of the same look, %d bytes are unknown, before %d: %s", who.Resident, b[account.CallerUnknown].Resident, who.Sentence)
	}
}

func mallinfoCounts() (apartCounts, bool) {
	f := cgo.RealFunction("mallinfo2")
	if f == nil {
		return apartCounts{}, false
	}
	return mallinfo2(f).apart, true
}

// A block that comes or goes meanwhile leaves everything as it was.
func TestBlocksApartThatChangeMeanwhileProveNothing(t *testing.T) {
	ofGlibc(t)
	victim.MapBlocksFrom(mapFrom)
	b := apartBlock(t, 0, 1<<20)
	k := ofGlibc(t)
	apartBlock(t, 0, 1<<20)
	page := account.Range{Start: b.Start &^ (pageSize - 1), Limit: b.Limit}
	if found, missing := k.Apart([]account.Range{page}, nil); found != nil || missing != 0 {
		t.Errorf("%v, %d", found, missing)
	}
}

// pages makes memory whose pages begin with these words: the size of a block, or 0.
func pages(t *testing.T, words ...uint64) account.Range {
	t.Helper()
	memory, err := unix.Mmap(-1, 0, len(words)*int(pageSize), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(memory) })
	for i, word := range words {
		binary.LittleEndian.PutUint64(memory[i*int(pageSize)+chunkSize:], word)
	}
	start := uint64(uintptr(unsafe.Pointer(&memory[0])))
	return account.Range{Start: start, Limit: start + uint64(len(memory))}
}

func TestHeadersOfBlocksApart(t *testing.T) {
	p := pageSize
	for about, c := range map[string]struct {
		words  []uint64 // that pages begin with
		wanted apartCounts
		first  bool // found without a look at every page
		every  bool
	}{
		"one block":                          {[]uint64{2*p | 2, 0}, apartCounts{1, 2 * p}, true, true},
		"two side by side":                   {[]uint64{2*p | 2, 0, p | 2}, apartCounts{2, 3 * p}, true, true},
		"behind other memory":                {[]uint64{0, 7, 2*p | 2, 0, p | 2, 0}, apartCounts{2, 3 * p}, false, true},
		"what a block holds is no header":    {[]uint64{3*p | 2, p | 2, p | 2}, apartCounts{1, 3 * p}, true, true},
		"fewer bytes than glibc counts":      {[]uint64{2*p | 2, 0}, apartCounts{1, 3 * p}, false, false},
		"fewer blocks than glibc counts":     {[]uint64{2*p | 2, 0}, apartCounts{2, 2 * p}, false, false},
		"more than glibc counts":             {[]uint64{p | 2, p | 2}, apartCounts{1, p}, false, false},
		"a chunk of an arena":                {[]uint64{p | 3}, apartCounts{1, p}, false, false},
		"a size that is not of whole pages":  {[]uint64{p + 16 | 2}, apartCounts{1, p + 16}, false, false},
		"a size of nothing":                  {[]uint64{2}, apartCounts{1, 0}, false, false},
		"a size that leads around the world": {[]uint64{-p | 2}, apartCounts{1, -p}, false, false},
	} {
		s := search{wanted: c.wanted, deadline: processorTime().Add(longEnough)}
		r := []account.Range{pages(t, c.words...)}
		if first, every := s.in(r, false), s.in(r, true); first != c.first || every != c.every {
			t.Errorf("%s: found %v, on every page %v: %+v", about, first, every, s.found)
		}
	}
}

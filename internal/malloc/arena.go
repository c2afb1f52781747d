//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cgoheap/cgoheap/internal/peek"
)

// An arena is glibc's struct malloc_state, on 64-bit machines:
//
//	   0  mutex, flags, have_fastchunks
//	  16  fastbinsY[10]           lists of small free chunks
//	  96  top, last_remainder     the chunk at the end of the newest heap
//	 112  bins[254]               127 circular lists: an empty one consists of two pointers to 16 bytes before itself
//	2144  binmap
//	2160  next, next_free         the circle of all arenas
//	2176  attached_threads, system_mem, max_system_mem
//	2200
const (
	arenaFast      = 16
	arenaTop       = 96
	arenaBins      = 112
	arenaNext      = 2160
	arenaSystem    = 2184
	arenaSize      = 2200
	fastBins       = 10
	bins           = 127
	mostArenas     = 1 << 14
	usualArenas    = 256
	heapMost       = 64 << 20 // the size of a heap's reservation, and its alignment
	chunkAlignment = 16
)

type arena struct {
	address   uint64
	top, next uint64
	system    uint64 // bytes of its heaps
	main      bool
	fast      [fastBins]uint64
}

var errLayout = errors.New("the layout of this glibc's arenas is unknown")

// readArena returns an arena if there is one at the address: its last bins, which hold what no program frees, are empty.
func readArena(address uint64) (arena, bool) {
	w, ok := wordsAt(address, arenaSize/8)
	defer w.forget()
	if !ok || !w.emptyBin(address, bins-1) {
		return arena{}, false
	}
	a := arena{address: address, top: w.at(address + arenaTop), next: w.at(address + arenaNext), system: w.at(address + arenaSystem)}
	for i := range a.fast {
		a.fast[i] = w.at(address + arenaFast + 8*uint64(i))
	}
	return a, a.next != 0
}

// emptyBin reports whether a bin of the arena at an address is empty.
func (w words) emptyBin(arena, bin uint64) bool {
	at := arena + arenaBins + 16*bin
	return w.at(at) == at-16 && w.at(at+8) == at-16
}

// mainArena finds glibc's first arena in its data. It looks from the end, because an empty bin of it looks like its last one.
func mainArena(data words) (arena, bool) {
	const last = arenaBins + 16*(bins-1)
	for at := data.from + uint64(len(data.data)) - 16; at >= data.from+last; at -= 8 {
		address := at - last
		if !data.emptyBin(address, bins-1) || !data.areBins(address) {
			continue
		}
		if a, ok := readArena(address); ok && a.top != 0 && a.top%chunkAlignment == 0 {
			a.main = true
			return a, true
		}
	}
	return arena{}, false
}

// areBins reports whether the bins of an arena can be there: two pointers each, to chunks or to the bin itself. All may have chunks but the
// last.
func (w words) areBins(arena uint64) bool {
	for at := arena + arenaBins; at < arena+arenaBins+16*bins; at += 8 {
		p := w.at(at)
		toItself := p == (at-arenaBins-arena)&^15+arena+arenaBins-16
		toChunk := p != 0 && p%chunkAlignment == 0 && (p < arena || p >= arena+arenaSize)
		if !toItself && !toChunk {
			return false
		}
	}
	return true
}

// arenas follows the circle from the first arena.
func arenas(first arena) ([]arena, error) {
	all := append(make([]arena, 0, usualArenas), first)
	for next := first.next; next != first.address; {
		a, ok := readArena(next)
		if !ok || len(all) == mostArenas {
			return nil, fmt.Errorf("%w: arena %d is none", errLayout, len(all))
		}
		all = append(all, a)
		next = a.next
	}
	return all, nil
}

// Chunks in fast bins are free, but look as if they were in use, until malloc_trim joins them with their neighbours. Each bin is
// a list of chunks of one size: a chunk's third word is the address of the next, since glibc 2.32 exclusive or its own address
// without the lowest 12 bits.

// mostFast bounds the memory that they take here: 8 bytes a chunk.
const mostFast = 1 << 20

const timeChecked = 1024 // chunks

// fastList is a list that is followed.
type fastList struct {
	heaps []heap
	size  uint64 // of its chunks
	cache *pageCache
}

// hidden is set in addresses that are kept in a list. Such a word is no pointer to a chunk: package twin looks through tags for the
// addresses of blocks only, and a chunk's header is none.
const hidden = 1 << 63

// fastChunks returns the arena's chunks in fast bins, in order, each with hidden. A list that changes meanwhile ends where it leads to no chunk of
// its size.
func fastChunks(a *arena, heaps []heap, deadline time.Time) (chunks []uint64) {
	cache := new(pageCache)
	defer cache.forget()
	for i, at := range a.fast {
		l := fastList{heaps, chunkLeast + chunkAlignment*uint64(i), cache}
		for there := l.has(at); there && len(chunks) < mostFast; at, there = l.after(at) {
			chunks = append(chunks, at|hidden)
			if len(chunks)%timeChecked == 0 && processorTime().After(deadline) {
				break
			}
		}
	}
	slices.Sort(chunks)
	return slices.Compact(chunks)
}

// has reports whether a chunk of the list's size is there.
func (l fastList) has(at uint64) bool {
	if at == 0 || at%chunkAlignment != 0 || !inHeaps(at, l.heaps) {
		return false
	}
	size, ok := l.cache.word(at + chunkSize)
	return ok && size&^chunkFlags == l.size
}

// after returns the chunk that follows; false at the list's end. Which of the two ways of linking this glibc has shows in where a
// link leads.
func (l fastList) after(at uint64) (uint64, bool) {
	link, ok := l.cache.word(at + 2*chunkSize)
	next := link ^ (at+2*chunkSize)>>12
	if !ok || next == 0 || l.has(next) {
		return next, ok && next != 0
	}
	return link, l.has(link)
}

func inHeaps(at uint64, heaps []heap) bool {
	return slices.ContainsFunc(heaps, func(h heap) bool { return h.Start <= at && at < h.Limit })
}

// pageCache are copied pages, by the lowest bits of their numbers.
type pageCache [64]words

func (c *pageCache) forget() {
	for i := range c {
		c[i].forget()
	}
}

// word returns a word of a page, which stays as it was when it was copied.
func (c *pageCache) word(at uint64) (uint64, bool) {
	page := at &^ (pageSize - 1)
	w := &c[page/pageSize%uint64(len(c))]
	if w.from != page {
		if w.data == nil {
			w.data = make([]byte, pageSize)
		}
		if w.from = page; peek.Copy(w.data, page) != len(w.data) {
			w.from = 0
			return 0, false
		}
	}
	return w.at(at), true
}

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"errors"
	"fmt"
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

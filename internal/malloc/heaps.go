//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/account"
)

// heap is a row of chunks.
type heap struct {
	account.Range
	first  uint64 // the first chunk; 0 if it must be searched
	arena  *arena
	newest bool // its last chunk is the arena's top
}

// reserved returns the addresses that a heap can grow to. No one else maps memory there as long as the heap exists, so what it
// grows by after it was read is malloc's too. How far the first arena can grow is the kernel's to say.
func (h *heap) reserved() account.Range {
	if h.arena.main {
		return h.Range
	}
	return account.Range{Start: h.Start, Limit: h.Start + heapMost}
}

// A heap of another arena than the first begins with glibc's struct heap_info: the arena, the arena's previous heap, its size,
// and how much of it was ever made writable. An arena lies behind it in its first heap.
const (
	infoArena, infoPrevious, infoSize, infoWritable = 0, 8, 16, 24
	mostHeaps                                       = 1 << 16
)

// heapsOf returns an arena's heaps, newest first.
func heapsOf(a *arena, program []account.Range) ([]heap, error) {
	if a.main {
		return mainHeaps(a, program), nil
	}
	var heaps []heap
	base := a.address &^ (heapMost - 1)
	for at := a.top &^ (heapMost - 1); at != 0; {
		w, ok := wordsAt(at, 4)
		size := w.at(at + infoSize)
		if !ok || w.at(at+infoArena) != a.address || size > heapMost || size%pageSize != 0 || size == 0 ||
			w.at(at+infoWritable) < size || len(heaps) == mostHeaps {
			return nil, fmt.Errorf("%w: no heap at %#x", errLayout, at)
		}
		h := heap{Range: account.Range{Start: at, Limit: at + size}, first: at + a.address - base, arena: a, newest: len(heaps) == 0}
		if at == base {
			h.first = (a.address + arenaSize + chunkAlignment - 1) &^ (chunkAlignment - 1)
		}
		heaps = append(heaps, h)
		at = w.at(at + infoPrevious)
	}
	return heaps, nil
}

// proc is where the kernel's files are. Tests replace it.
var proc = "/proc"

// segment returns what the first arena has of the program's data segment, by its own figures, where the kernel's files cannot be read. If
// the arena has memory elsewhere too, no chunk is found at the start.
func (a *arena) segment() account.Range {
	w, _ := wordsAt(a.top, 2)
	limit := a.top + w.at(a.top+chunkSize)&^chunkFlags
	return account.Range{Start: less(limit, a.system), Limit: limit}
}

// without returns what is left of ranges. Both are ascending.
func without(ranges, others []account.Range) (left []account.Range) {
	for _, r := range ranges {
		for _, o := range others {
			if o.Limit <= r.Start || r.Limit <= o.Start {
				continue
			}
			if r.Start < o.Start {
				left = append(left, account.Range{Start: r.Start, Limit: o.Start})
			}
			r.Start = min(o.Limit, r.Limit)
		}
		if r.Start < r.Limit {
			left = append(left, r)
		}
	}
	return left
}

func bytesOf(ranges []account.Range) (sum uint64) {
	for _, r := range ranges {
		sum += r.Limit - r.Start
	}
	return sum
}

// mainHeaps are the program's data segment, as brk moved its end. What the first arena has elsewhere, because brk failed, is not
// known.
func mainHeaps(a *arena, program []account.Range) (heaps []heap) {
	for _, r := range program {
		heaps = append(heaps, heap{Range: r, arena: a, newest: r.Start <= a.top && a.top < r.Limit})
	}
	return heaps
}

const mostData = 64 << 20

// dataOfMalloc returns the writable data of the file with the real malloc.
func dataOfMalloc() (data []words, err error) {
	address, _ := cgo.RealMalloc()
	segments := cgo.Segments()
	of := slices.IndexFunc(segments, func(s cgo.Segment) bool { return s.Start <= address && address < s.Limit })
	if of < 0 {
		return nil, errors.New("the file that contains malloc is not known")
	}
	for _, s := range segments {
		start := (s.Start + 7) &^ 7
		if !s.Writable || s.Path != segments[of].Path || start > s.Limit || s.Limit-start > mostData {
			continue
		}
		if w, ok := wordsAt(start, int(s.Limit-start)/8); ok {
			data = append(data, w)
		}
	}
	if data == nil {
		return nil, errors.New("the file that contains malloc has no data")
	}
	return data, nil
}

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"cmp"
	"encoding/binary"
	"slices"
	"time"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/peek"
)

// glibc maps a large block apart from its heaps, behind a header of two words:
//
//	│ 0 │ size | 2 │ block                    │     the size is that of the mapping, whole pages
//	page                                   page
//
// memalign puts a second header in front of the block, with the bytes before it in place of the 0; the first one stays. In a program's own
// memory any words may stand at the beginning of a page, so a header proves nothing. But glibc counts these blocks and their bytes
// (apartCounts). What was found counts only if the recorded blocks of this kind and those found make both numbers, to the byte, and both
// were the same before the pages were looked up and after the headers were read. Otherwise nothing is malloc's that is not known to be.
const (
	headerSize   = 16
	headerApart  = 2
	apartTime    = 10 * time.Millisecond
	apartAtOnce  = 256 // headers that are read at once
	timeOften    = 32  // readings
	mostApart    = 1 << 16
	blocksMost   = 65536 // M_MMAP_MAX, if the program leaves it alone
	countersSize = 40    // before sbrk_base
)

// apartCounts are two of the figures in glibc's struct malloc_par. The last words of its statistics are
//
//	n_mmaps, n_mmaps_max, max_n_mmaps, no_dyn_threshold     ints, behind one more, and before padding since glibc 2.35
//	mmapped_mem, max_mmapped_mem
//	sbrk_base                                               where the first arena's heap begins
type apartCounts struct {
	blocks, bytes uint64
}

// parameters are where they lie.
type parameters struct {
	base    uint64 // of sbrk_base
	padding uint64 // 4 since glibc 2.35, or 0
}

// findParameters looks for the first heap's address, behind numbers that can be these.
func findParameters(data []words, heap account.Range) (p parameters, found bool) {
	for _, w := range data {
		for at := w.from + countersSize; at+8 <= w.from+uint64(len(w.data)); at += 8 {
			if base := w.at(at); base&^(pageSize-1) != heap.Start || base >= heap.Limit {
				continue
			}
			for _, padding := range []uint64{4, 0} {
				p := parameters{at, padding}
				if _, ok := p.counts(words{at - countersSize, w.data[at-countersSize-w.from:][:countersSize]}); ok {
					return p, true
				}
			}
		}
	}
	return parameters{}, false
}

func (p parameters) counts(w words) (c apartCounts, ok bool) {
	number := func(before uint64) uint64 {
		return uint64(binary.LittleEndian.Uint32(w.data[countersSize-before-p.padding:]))
	}
	blocks, most, peak := number(32), number(28), number(24)
	bytes, peakBytes := w.at(p.base-16), w.at(p.base-8)
	ok = most == blocksMost && blocks <= peak && bytes <= peakBytes && bytes%pageSize == 0 && peakBytes%pageSize == 0 &&
		bytes >= blocks*pageSize && (blocks == 0) == (bytes == 0)
	return apartCounts{blocks, bytes}, ok
}

func (p parameters) read() (apartCounts, bool) {
	w, ok := wordsAt(p.base-countersSize, countersSize/8)
	if !ok {
		return apartCounts{}, false
	}
	return p.counts(w)
}

// apart returns account.Malloc's function for blocks that are mapped one by one; nil if glibc's figures are not found.
func apart(l *layout) func([]account.Range, []account.Block) ([]account.Range, uint64) {
	i := slices.IndexFunc(l.arenas, func(a arena) bool { return a.main })
	if i < 0 || len(l.heaps[i]) == 0 {
		return nil
	}
	p, found := findParameters(l.data, l.heaps[i][0].Range)
	first, ok := p.read()
	if !found || !ok {
		return nil
	}
	heaps := l.ranges()
	return func(unclaimed []account.Range, recorded []account.Block) ([]account.Range, uint64) {
		s := search{wanted: first, deadline: processorTime().Add(apartTime), known: make(map[uint64]uint64)}
		if !s.without(recorded, heaps) || s.wanted.bytes == 0 {
			return nil, 0
		}
		whole := s.in(unclaimed, false) || s.in(unclaimed, true)
		if last, ok := p.read(); !ok || last != first {
			return nil, 0
		}
		if whole {
			return s.found, 0
		}
		return nil, s.wanted.bytes
	}
}

// search looks for blocks that are mapped one by one.
type search struct {
	wanted   apartCounts       // not yet accounted for
	known    map[uint64]uint64 // recorded ones behind more than a header: where the mapping begins, and its size
	found    []account.Range
	deadline time.Time

	ahead  []uint64 // pages whose headers were copied, ascending
	copied []byte   // these headers
	buffer []byte   // for them
	reads  int
}

// without subtracts the recorded blocks. A block directly behind a header, outside of all heaps, has the size that malloc gives it; others
// say themselves how they are mapped. It returns false if that is more than there is.
func (s *search) without(recorded []account.Block, heaps []account.Range) bool {
	heaps = slices.Clone(heaps)
	slices.SortFunc(heaps, func(a, b account.Range) int { return cmp.Compare(a.Start, b.Start) })
	var left apartCounts
	for i := range recorded {
		b := &recorded[i]
		for len(heaps) > 0 && heaps[0].Limit <= b.Start {
			heaps = heaps[1:]
		}
		if b.Swapped > 0 { // its header may be, and stays
			return false
		}
		if len(heaps) > 0 && heaps[0].Start <= b.Start {
			continue
		}
		size := apartRounds(b.Limit - b.Start)
		if b.Start%pageSize != headerSize {
			start, mapped, ok := s.aligned(b.Start - headerSize)
			if !ok {
				continue // not glibc's
			}
			s.known[start], size = mapped, mapped
		}
		left.blocks, left.bytes = left.blocks+1, left.bytes+size
	}
	if left.blocks > s.wanted.blocks || left.bytes > s.wanted.bytes {
		return false
	}
	s.wanted.blocks, s.wanted.bytes = s.wanted.blocks-left.blocks, s.wanted.bytes-left.bytes
	return true
}

// apartRounds returns how much is mapped for a block: a chunk of its size and one word more, as whole pages.
func apartRounds(size uint64) uint64 {
	return (glibcRounds(size) + 8 + pageSize - 1) &^ (pageSize - 1)
}

// aligned reads the header of a block of memalign's.
func (s *search) aligned(at uint64) (start, size uint64, ok bool) {
	w, ok := wordsAt(at, 2)
	before, word := w.at(at), w.at(at+chunkSize)
	size = before + word&^chunkFlags
	return at - before, size, ok && word&chunkFlags == headerApart && before < at && (at-before)%pageSize == 0 && size%pageSize == 0
}

// in looks for headers where ranges begin and behind each block that it finds; or, if that does not suffice, on every page. It reports
// whether all that are wanted were found.
func (s *search) in(unclaimed []account.Range, everyPage bool) bool {
	s.found, s.ahead = s.found[:0], s.ahead[:0]
	var sum apartCounts
	var next uint64 // behind the last block
	for i, r := range unclaimed {
		for at := max(r.Start, next); at < r.Limit; {
			size, is := s.known[at]
			if !is {
				if size, is = s.header(at, unclaimed[i:], everyPage); is {
					s.found = append(s.found, account.Range{Start: at, Limit: at + size})
					sum.blocks, sum.bytes = sum.blocks+1, sum.bytes+size
				}
			}
			switch {
			case is:
				at += size
				next = at
			case everyPage:
				at += pageSize
			default:
				at = r.Limit
			}
			if sum.bytes > s.wanted.bytes || len(s.found) == mostApart || s.late() {
				return false
			}
		}
	}
	return sum == s.wanted
}

// late reports whether the time is over.
func (s *search) late() bool { return s.reads%timeOften == 0 && processorTime().After(s.deadline) }

// header returns the size of the block whose header is at a page, in the first of the ranges.
func (s *search) header(at uint64, ranges []account.Range, everyPage bool) (size uint64, is bool) {
	for len(s.ahead) > 0 && s.ahead[0] < at {
		s.ahead, s.copied = s.ahead[1:], s.copied[headerSize:]
	}
	if len(s.ahead) > 0 && s.ahead[0] == at {
		return sizeApart(words{at, s.copied[:headerSize]})
	}
	s.reads++
	if !everyPage && at != ranges[0].Start { // behind a block
		w, _ := wordsAt(at, 2)
		return sizeApart(w)
	}
	if !s.read(at, ranges, everyPage) {
		return 0, false
	}
	return sizeApart(words{at, s.copied[:headerSize]})
}

func sizeApart(header words) (size uint64, is bool) {
	before, word := header.at(header.from), header.at(header.from+chunkSize)
	size = word &^ chunkFlags
	return size, before == 0 && word&chunkFlags == headerApart && size%pageSize == 0 && size != 0 && header.from+size > header.from
}

// read copies a header, and those that are likely to be asked for next: of the following pages, or where the following ranges begin.
func (s *search) read(at uint64, ranges []account.Range, everyPage bool) bool {
	list := make([]uint64, 0, apartAtOnce)
	if everyPage {
		for ; at < ranges[0].Limit && len(list) < apartAtOnce; at += pageSize {
			list = append(list, at)
		}
	} else {
		for _, r := range ranges[:min(len(ranges), apartAtOnce)] {
			list = append(list, r.Start)
		}
	}
	if s.buffer == nil {
		s.buffer = make([]byte, apartAtOnce*headerSize)
	}
	s.copied = s.buffer
	s.ahead = list[:peek.Each(s.buffer[:len(list)*headerSize], headerSize, list)]
	return len(s.ahead) > 0
}

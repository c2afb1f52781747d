//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"encoding/binary"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/peek"
)

// words are 8-byte words, copied from an address on.
type words struct {
	from uint64
	data []byte
}

// wordsAt copies n words; false if not all can be read.
func wordsAt(from uint64, n int) (words, bool) {
	w := words{from, make([]byte, 8*n)}
	return w, peek.Copy(w.data, from) == len(w.data)
}

// forget clears what was copied. Pointers to blocks that stay in Go's heap would look as if they held them: see package twin.
func (w words) forget() { clear(w.data) }

// at returns the word at an address; 0 if it was not copied.
func (w words) at(address uint64) uint64 {
	if i := address - w.from; i < uint64(len(w.data)) && i+8 <= uint64(len(w.data)) {
		return binary.LittleEndian.Uint64(w.data[i:])
	}
	return 0
}

// window is the part of a heap that was copied last.
type window struct {
	words
	buffer    [1 << 16]byte
	residency residency
}

// load makes the two words of a chunk's header at p readable. It copies a page, or more where one window follows another, and
// only resident pages: reading would make others so.
func (w *window) load(p uint64) bool {
	end := w.from + uint64(len(w.data))
	if p >= w.from && p+16 <= end {
		return true
	}
	if !w.residency.at(p) {
		return false
	}
	limit := p&^(pageSize-1) + pageSize
	if p >= w.from && p < end+pageSize {
		for limit-p <= uint64(len(w.buffer))-pageSize && w.residency.at(limit) {
			limit += pageSize
		}
	}
	w.from = p
	w.data = w.buffer[:peek.Copy(w.buffer[:limit-p], p)]
	return len(w.data) >= 16
}

// forget has load copy anew.
func (w *window) forget() { w.from, w.data = 0, nil }

// Heaps is what a twin of the process is told of glibc's heaps. Addresses are those of the process.
type Heaps struct {
	Arena                     uint64          // struct malloc_state of the first arena
	MappedBlocks, MappedBytes uint64          // addresses of the number of blocks that are mapped one by one, and of their sum; 0: unknown
	Program                   account.Range   // the data segment
	Others                    []account.Range // what of that is not malloc's, ascending
}

// ForTwin returns what a twin of the process needs to read glibc's heaps: where they were found, as far as that does not change. With an
// error, which says why they are not known, it is zero: also where malloc is not glibc's. Others are ranges of the program's data
// segment that are not malloc's, ascending.
func ForTwin(others ...account.Range) (Heaps, error) {
	l, err := await(func() (layout, error) { return findHeaps(others...) }) // arenas and heaps may be made meanwhile
	if err != nil {
		return Heaps{}, err
	}
	defer l.forget()
	return l.forTwin(others), nil
}

// forTwin adds what is not in the layout. The first arena is the first of the list, and may have no heap yet.
func (l layout) forTwin(others []account.Range) Heaps {
	m := Heaps{Arena: l.arenas[0].address}
	heaps := l.heaps[0]
	if len(heaps) == 0 {
		return m
	}
	m.Program, m.Others = account.Range{Start: heaps[0].Start, Limit: heaps[len(heaps)-1].Limit}, others
	if p, found := findParameters(l.data, heaps[0].Range); found {
		m.MappedBlocks, m.MappedBytes = p.base-32-p.padding, p.base-16
	}
	return m
}

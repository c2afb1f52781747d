//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"encoding/binary"

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

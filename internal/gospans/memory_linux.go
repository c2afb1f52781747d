package gospans

import (
	"encoding/binary"
	"runtime"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/peek"
)

// The runtime's data is searched up to where it ends, or so far. In front of a variable of its own there is little of it. Memory is mapped
// by pages: what is in front of one may be unreadable.
const (
	mostAfter  = 256 << 20
	mostBefore = 16 << 20
	chunk      = 64 << 10
	page       = 4 << 10
	overlap    = 8 * variableBounds
)

// search calls visit with the pieces of the runtime's data until it returns true, and reports whether it did. Pieces overlap, so that
// what is as long as overlap lies in one of them whole.
func search(visit func(at uint64, piece []byte) bool) bool {
	return searchAround(uint64(uintptr(unsafe.Pointer(&runtime.MemProfileRate))), peek.Copy, visit)
}

// searchAround searches from the page of an address on, and then in front of it. read copies memory up to the first unreadable byte, and returns how much.
func searchAround(own uint64, read func(to []byte, from uint64) int, visit func(at uint64, piece []byte) bool) bool {
	own &^= page - 1
	buffer := make([]byte, chunk+overlap)
	for at := own; at < own+mostAfter; at += chunk {
		n := read(buffer, at)
		if visit(at, buffer[:n&^7]) {
			return true
		}
		if n < chunk {
			break
		}
	}
	for before := uint64(page); before <= min(mostBefore, own); before += page {
		n := read(buffer[:page+overlap], own-before)
		if n == 0 {
			break
		}
		if visit(own-before, buffer[:n&^7]) {
			return true
		}
	}
	return false
}

// word returns the word at an address, and 0 if it cannot be read.
func word(at uint64) uint64 {
	var b [8]byte
	if peek.Copy(b[:], at) != len(b) {
		return 0
	}
	return binary.NativeEndian.Uint64(b[:])
}

// slice is a slice header.
type slice struct{ at, size, room uint64 }

const sliceBytes = 24

// sliceIn returns what lies at the beginning of b as a slice header.
func sliceIn(b []byte) slice {
	u := binary.NativeEndian.Uint64
	return slice{u(b), u(b[8:]), u(b[16:])}
}

// plausible reports whether it can be a slice header of at least one and at most most words.
func (s slice) plausible(most uint64) bool {
	return s.at != 0 && s.at%8 == 0 && s.size > 0 && s.size <= s.room && s.room <= most
}

// words returns the first n of the slice's words, nil if they cannot be read.
func (s slice) words(n uint64) []uint64 {
	b := make([]byte, 8*n)
	if peek.Copy(b, s.at) != len(b) {
		return nil
	}
	words := make([]uint64, n)
	for i := range words {
		words[i] = binary.NativeEndian.Uint64(b[8*i:])
	}
	return words
}

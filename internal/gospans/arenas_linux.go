package gospans

import (
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/peek"
)

// biases are those that the runtime adds to an address: on amd64 the upper half of the address space comes first.
var biases = map[string]uint64{"amd64": 1 << 47}

// largeBytes are allocated in a span of their own, of largePages pages, which they fill but for some bytes.
const (
	largePages = 5
	largeBytes = largePages*PageBytes - 100
)

// allocate returns memory of Go's heap without pointers.
//
//go:noinline
func allocate(size int) []byte { return make([]byte, size) }

func addressOf(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

// findArenas searches the runtime's data for the pointer to the table of arenas, and behind it the lists of the arenas.
func findArenas() (l Layout, err error) {
	witness := [][]byte{allocate(largeBytes), allocate(largeBytes)}
	defer runtime.KeepAlive(witness)
	l = Layout{Bias: biases[runtime.GOARCH], Span: span}
	var table uint64
	if !search(func(at uint64, piece []byte) bool {
		for i := 0; i+8 <= len(piece); i += 8 {
			l.Arenas = binary.NativeEndian.Uint64(piece[i:])
			if l.Arenas != 0 && l.Arenas%4096 == 0 && l.leadsTo(witness) {
				table = at + uint64(i)
				return true
			}
		}
		return false
	}) {
		return Layout{}, errors.New("nothing in the Go runtime's data is a table of arenas")
	}
	if l.Lists = l.findLists(table, addressOf(witness[0])); l.Lists == 0 {
		return Layout{}, errors.New("the Go runtime's list of arenas was not found")
	}
	return l, nil
}

// leadsTo reports whether the table leads to the spans of large objects, for each of their pages, and its last entry can be
// read.
func (l Layout) leadsTo(objects [][]byte) bool {
	var b [8]byte
	if peek.Copy(b[:], l.Arenas+8*(Entries-1)) != len(b) {
		return false
	}
	for _, o := range objects {
		at := addressOf(o)
		s := l.spanOf(at)
		if s == 0 || word(s+uint64(l.Span.Start)) != at || word(s+uint64(l.Span.Pages)) != largePages {
			return false
		}
		for page := uint64(1); page < largePages; page++ {
			if l.spanOf(at+page*PageBytes) != s {
				return false
			}
		}
	}
	return true
}

// index returns the index of an address in the table of arenas.
func (l Layout) index(address uint64) uint64 { return (address + l.Bias) / ArenaBytes }

// arena returns the address of what the runtime knows of the arena that an address lies in, and 0 if it lies in none.
func (l Layout) arena(address uint64) uint64 {
	if i := l.index(address); i < Entries {
		return word(l.Arenas + 8*i)
	}
	return 0
}

// Holds reports whether an address lies in an arena of Go's heap.
func (l Layout) Holds(address uint64) bool { return l.arena(address) != 0 }

// spanOf returns the address of the span that the page of an address belongs to, or belonged to. 0: none.
func (l Layout) spanOf(address uint64) uint64 {
	arena := l.arena(address)
	if arena == 0 {
		return 0
	}
	return word(arena + address/PageBytes%pagesPerArena*8)
}

// listsWithin bounds how far behind the pointer to the table the lists of arenas are.
const listsWithin = 4096

// findLists returns the address of the first slice that consists of the indexes of arenas, and contains that of an address.
func (l Layout) findLists(from, address uint64) uint64 {
	b := make([]byte, listsWithin)
	n := peek.Copy(b, from)
	for i := 8; i+2*sliceBytes <= n; i += 8 {
		list := sliceIn(b[i:])
		if list.plausible(Entries) && l.isList(list.words(list.size), address) {
			return from + uint64(i)
		}
	}
	return 0
}

func (l Layout) isList(indexes []uint64, address uint64) bool {
	for _, i := range indexes {
		if i >= Entries || word(l.Arenas+8*i) == 0 {
			return false
		}
	}
	return slices.Contains(indexes, l.index(address))
}

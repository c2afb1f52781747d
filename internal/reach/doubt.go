//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package reach

import (
	"encoding/binary"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/peek"
	"github.com/cgoheap/cgoheap/internal/scratch"
)

// In a program that is not position-independent, the heap of C's first arena lies so low that sizes, counters and times look like
// addresses of blocks. One such number holds all of a list behind the block that it seems to point to. So where chains of pointers to many
// bytes begin in few words, these may be numbers, unless what a word has is the address of a block's first byte: a number would have to be
// just that, and not any of the block's.

// lowEnd is where addresses end that numbers often look like.
const lowEnd = 1 << 32

// mostWords is how many words are few.
const mostWords = 16

// few counts bytes by word and keeps those words that have many: the algorithm of Misra and Gries. A word that has more than one part of
// mostWords+1 of all bytes is in it. What it has of a word is at most so much too little.
type few map[uint64]chains

// chains begin in one word.
type chains struct {
	bytes float64
	first int // index of the first recorded block of one of them
}

func (f few) add(word uint64, first int, bytes float64) {
	if has, known := f[word]; known || len(f) < mostWords {
		f[word] = chains{has.bytes + bytes, first}
		return
	}
	least := bytes
	for _, has := range f {
		least = min(least, has.bytes)
	}
	for w, has := range f {
		if has.bytes -= least; has.bytes > 0 {
			f[w] = has
		} else {
			delete(f, w)
		}
	}
	if bytes > least {
		f[word] = chains{bytes - least, first}
	}
}

// doubts finds the words in which chains begin.
type doubts struct {
	*Findings
	firsts  []uint32        // of each block, 1 + the index of the first recorded block of its chain; 0: not looked for
	certain map[uint64]bool // words, whether they are surely addresses
}

func (f *Findings) doubts(memory *scratch.Memory) *doubts {
	return &doubts{f, scratch.Slice[uint32](memory, max(len(f.found), leastFound)), make(map[uint64]bool)}
}

// first returns the index of the first recorded block of the chain to a block that something points to.
func (d *doubts) first(i int) int {
	at := i
	for ; d.firsts[at] == 0; at = int(d.found[at].Through) - 1 {
		if d.found[at].Through == 0 {
			d.firsts[at] = uint32(at) + 1
			break
		}
		d.firsts[at] = uint32(i) + 1 // what two copies found may be a ring
	}
	first := d.firsts[at]
	for at = i; d.firsts[at] != first; at = int(d.found[at].Through) - 1 {
		d.firsts[at] = first
	}
	return int(first) - 1
}

// word returns the address of the word in which a chain begins, as far as it is known, and the index of the chain's first block. Of an
// object of Go's, it is the word of the object, and not of what keeps that.
func (d *doubts) word(i int) (at uint64, first int) {
	first = d.first(i)
	f := &d.found[first]
	if f.Holder >= lowEnd { // no block that lies low has it
		return f.Holder, first
	}
	return f.RootWord, first
}

// isAddress reports whether a word has the address of the first byte of a block.
func (d *doubts) isAddress(at uint64, first int) bool {
	known, seen := d.certain[at]
	if !seen {
		value := wordAt(at)
		start, _ := d.Blocks.At(first)
		known = value < lowEnd && (d.found[first].Holder == at && value&^7 == start || isChunk(value)) // what lies high leads to a word that is not known
		d.certain[at] = known
	}
	return known
}

// isChunk reports whether a block of glibc's begins at an address, and is in use: before it is its size, and behind it that of the next one.
func isChunk(at uint64) bool {
	const inUse, flags, least, most = 1, 7, 32, 64 << 20
	size := wordAt(at - 8)
	if at%16 != 0 || at == 0 || size&^flags < least || size&^flags > most || size&8 != 0 {
		return false
	}
	next := wordAt(at - 8 + size&^flags)
	return next&inUse != 0 && next&8 == 0 && next&^flags >= 16
}

func wordAt(at uint64) uint64 {
	var b [8]byte
	if peek.Copy(b[:], at) != len(b) {
		return 0
	}
	return binary.NativeEndian.Uint64(b[:])
}

// add counts a block that lies low.
func (d *doubts) add(f few, i int, bytes float64) {
	if at, _ := d.Blocks.At(i); at < lowEnd && d.found[i].Root != cgo.TwinRootEpoll {
		word, first := d.word(i)
		f.add(word, first, bytes)
	}
}

// bytes returns how many bytes few words hold that may be numbers.
func (d *doubts) bytes(f few) (sum float64) {
	for word, has := range f {
		if !d.isAddress(word, has.first) {
			sum += has.bytes
		}
	}
	return sum
}

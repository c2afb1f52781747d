//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package reach

import (
	"encoding/binary"

	"github.com/cgoheap/cgoheap/internal/peek"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/twin"
)

// In a program that is not position-independent, the heap of C's first arena lies so low that sizes, counters and times look like
// addresses of blocks. One such number holds all of a list behind the block that it seems to point to. So where chains of pointers to many
// bytes begin in few words, these may be numbers, unless what a word has is the address of a block's first byte: a number would have to be
// just that, and not any of the block's. A table of numbers holds a block with each. Pointers into the midst of blocks lead to a field, such as
// that of a list which links them, and that is equally far from each block's first byte; numbers lead anywhere.

// lowEnd is where addresses end that numbers often look like.
const lowEnd = 1 << 32

// mostWords is how many words are few.
const mostWords = 16

// few counts bytes by a number, such as a word's address, and keeps those numbers that have many: the algorithm of Misra and Gries. One that has
// more than one part of mostWords+1 of all bytes is in it. What it has of one is at most so much too little.
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

// low is what is known of the blocks of a stack that lie low and that something holds.
type low struct {
	words   few // in which the chains begin
	bytes   float64
	looked  float64 // bytes whose words were looked at: the first mostLooked chains
	chains  int
	midst   float64 // bytes of looked whose chains begin in a word that leads into the midst of a block
	offsets few     // those by the distance from the block's first byte
}

// mostLooked is how many words of a stack are looked at, which are copied one by one.
const mostLooked = 4096

// doubts finds the words in which chains begin.
type doubts struct {
	*Findings
	firsts  []uint32          // of each block, 1 + the index of the first recorded block of its chain; 0: not looked for
	offsets map[uint64]uint64 // of words that were looked at
}

func (f *Findings) doubts(memory *scratch.Memory) *doubts {
	return &doubts{f, scratch.Slice[uint32](memory, max(len(f.found), leastFound)), make(map[uint64]uint64)}
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

// unknown is the offset of a word that leads high: the one that leads from there to a block that lies low is not known.
const unknown = 1

// offset returns how far behind the first byte of a block a word leads: 0 if it is surely an address. Where it leads to a block that is not
// known, or has been changed, no two words are equally far.
func (d *doubts) offset(at uint64, first int) uint64 {
	offset, seen := d.offsets[at]
	if seen {
		return offset
	}
	value := wordAt(at)
	start, size := d.Blocks.At(first)
	switch {
	case value >= lowEnd:
		offset = unknown
	case d.found[first].Holder == at && value-start < max(size, 8):
		offset = (value - start) &^ 7
	case !isChunk(value):
		offset = value
	}
	d.offsets[at] = offset
	return offset
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
func (d *doubts) add(l *low, i int, bytes float64) {
	if at, _ := d.Blocks.At(i); at >= lowEnd || d.found[i].Root == twin.RootEpoll {
		return
	}
	word, first := d.word(i)
	l.words.add(word, first, bytes)
	l.bytes += bytes
	if l.chains++; l.chains > mostLooked {
		return
	}
	l.looked += bytes
	if offset := d.offset(word, first); offset != 0 && offset != unknown {
		l.midst += bytes
		l.offsets.add(offset, first, bytes)
	}
}

// doubted returns how many bytes numbers may hold: what few words hold that are no addresses, and what is held by words that lead anywhere.
func (d *doubts) doubted(l *low) (sum float64) {
	if l.bytes == 0 {
		return 0
	}
	anywhere := l.midst
	for _, has := range l.offsets {
		anywhere -= has.bytes
	}
	sum = max(0, anywhere) / l.looked * l.bytes
	for word, has := range l.words {
		if d.offset(word, has.first) != 0 {
			sum += has.bytes
		}
	}
	return min(sum, l.bytes)
}

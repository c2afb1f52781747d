package unwind

import (
	"io"

	"github.com/cgoheap/cgoheap/internal/scratch"
)

// records are the records of a section, of which a part is in memory at a time: a large program has megabytes of them.
type records struct {
	reader io.ReaderAt // nil if all of the section is in the window
	size   int
	window []byte
	base   int // offset of window[0]
	buffer []byte
	reach  int // how much is read at once
	memory *scratch.Memory
}

// Reading in the order of the section, and in the order of the code, mostly goes forward. Where it does not, little is read
// at once.
const (
	leastReach = 4 << 10
	mostReach  = 128 << 10
)

// bytes returns the bytes between two offsets, valid until the next call; nil if they cannot be read.
func (r *records) bytes(from, to int) []byte {
	if from < r.base || to > r.base+len(r.window) {
		if r.reader == nil || !r.read(from, to) {
			return nil
		}
	}
	return r.window[from-r.base : to-r.base]
}

func (r *records) read(from, to int) bool {
	if end := r.base + len(r.window); from >= r.base && from <= end+leastReach {
		r.reach = min(2*r.reach, mostReach)
	} else {
		r.reach = leastReach
	}
	length := min(max(r.reach, to-from), r.size-from)
	if length > len(r.buffer) {
		r.memory.Release(r.buffer)
		r.buffer = r.memory.Bytes(max(length, mostReach))
	}
	n, _ := r.reader.ReadAt(r.buffer[:length], int64(from))
	r.window, r.base = r.buffer[:n], from
	return n >= to-from
}

// record returns the record at an offset, after its length, and the offset of the next. A record without bytes is a
// terminator; ok is false for one that does not fit.
func (r *records) record(at int) (data []byte, end int, ok bool) {
	const lengths = 12
	c := cursor{data: r.bytes(at, min(at+lengths, r.size))}
	length := uint64(c.u32())
	if length == 1<<32-1 {
		length = c.u64()
	}
	start := at + c.at
	if c.failed || length > uint64(r.size-start) {
		return nil, 0, false
	}
	end = start + int(length)
	data = r.bytes(start, end)
	return data, end, data != nil || length == 0
}

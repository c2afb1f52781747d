//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/scratch"
)

// extent is a part of the region that Go owns.
type extent struct {
	offset uint64
	size   int
}

// arena hands out parts of the region for what Go publishes: rows, indexes, module entries. A part that was published
// may be read by a recorder until the gate has settled, so it is retired first and used again after that. The smallest part
// that fits is used, and the rest of it stays free: a module's entry, which is never freed, must not use up the space of
// another module's rows.
type arena struct {
	free, retired []extent
}

// grain is what sizes are multiples of, so that what is left of a part is aligned too.
const grain = 64

func (a *arena) reserve(size int) (extent, error) {
	size = (size + grain - 1) &^ (grain - 1)
	if i := a.tightest(size); i >= 0 {
		return a.cut(i, size), nil
	}
	offset, ok := cgo.Reserve(size)
	if !ok {
		return extent{}, fmt.Errorf("the tables are full: no room for %d bytes", size)
	}
	return extent{offset, size}, nil
}

// tightest returns the index in free of the smallest part that holds size bytes; -1 if none does.
func (a *arena) tightest(size int) int {
	best := -1
	for i, e := range a.free {
		if e.size >= size && (best < 0 || e.size < a.free[best].size) {
			best = i
		}
	}
	return best
}

// cut takes size bytes from the beginning of a free part.
func (a *arena) cut(i, size int) extent {
	e := a.free[i]
	if e.size == size {
		a.free = slices.Delete(a.free, i, i+1)
	} else {
		a.free[i] = extent{e.offset + uint64(size), e.size - size}
	}
	return extent{e.offset, size}
}

func (a *arena) retire(e extent) {
	if e.size > 0 {
		a.retired = append(a.retired, e)
	}
}

// settled may be called when the gate has settled since the last retire.
func (a *arena) settled() {
	a.free = append(a.free, a.retired...)
	a.retired = a.retired[:0]
}

// put copies values to an offset of the region and returns the offset after them, aligned to 8.
func put[T any](offset uint64, values []T) uint64 {
	if len(values) == 0 {
		return offset
	}
	size := uint64(len(values)) * uint64(unsafe.Sizeof(values[0]))
	copy(cgo.Region()[offset:offset+size], unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), size))
	return (offset + size + 7) &^ 7
}

// moveRows is put for values in scratch memory, whose pages go back to the kernel as they are copied: rows are never in memory
// twice.
func moveRows[T any](offset uint64, values []T, memory *scratch.Memory) (after uint64) {
	const step = 1 << 18
	rest, after := values, offset
	for ; len(rest) > step; rest = rest[step:] {
		after = put(after, rest[:step])
		scratch.DropSlice(memory, values, len(values)-len(rest)+step)
	}
	return put(after, rest)
}

//go:build linux && amd64 && cgo

package alloc

import (
	"fmt"
	"unsafe"

	"github.com/cgoheap/cgoheap/cgo"
)

// extent is a part of the region that belongs to this side of the gate.
type extent struct {
	offset uint64
	size   int
}

// arena hands out parts of the region for what Go publishes: rows, indexes, module entries. A part that was published
// may be read by a recorder until the gate has settled, so it is retired first and used again after that.
type arena struct {
	free, retired []extent
}

func (a *arena) reserve(size int) (extent, error) {
	for i, e := range a.free {
		if e.size >= size {
			a.free[i] = a.free[len(a.free)-1]
			a.free = a.free[:len(a.free)-1]
			return e, nil
		}
	}
	offset, ok := cgo.Reserve(size)
	if !ok {
		return extent{}, fmt.Errorf("the tables are full: no room for %d bytes", size)
	}
	return extent{offset, size}, nil
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

// put copies values to an offset of the region; it returns the offset after them, aligned to 8.
func put[T any](offset uint64, values []T) uint64 {
	if len(values) == 0 {
		return offset
	}
	size := uint64(len(values)) * uint64(unsafe.Sizeof(values[0]))
	copy(cgo.Region()[offset:offset+size], unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), size))
	return (offset + size + 7) &^ 7
}

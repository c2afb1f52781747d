package scratch

import (
	"sync"
	"unsafe"
)

// Range is a range of addresses. Limit is the first address behind it.
type Range struct {
	Start, Limit uintptr
}

// register has the mapped pieces of all Memories.
type register struct {
	mu     sync.Mutex
	ranges map[uintptr]int // their lengths
}

var pieces = register{ranges: make(map[uintptr]int)}

func (r *register) add(b []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ranges[uintptr(unsafe.Pointer(unsafe.SliceData(b)))] = len(b)
}

func (r *register) remove(b []byte) {
	if len(b) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.ranges, uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}

// Mapped returns where scratch memory is mapped now, in no order.
func Mapped() []Range {
	pieces.mu.Lock()
	defer pieces.mu.Unlock()
	list := make([]Range, 0, len(pieces.ranges))
	for start, length := range pieces.ranges {
		list = append(list, Range{start, start + uintptr(length)})
	}
	return list
}

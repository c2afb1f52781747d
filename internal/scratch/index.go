package scratch

import (
	"math/bits"
	"sync"
	"unsafe"
)

// Index finds numbers by hashes: a table with open addressing, which is at most half full. The caller keeps what has a
// number, and decides whether it is what is looked for. It must come from NewIndex.
type Index struct {
	memory *Memory
	slots  []slot // their number is a power of two
	count  int
}

// slot is a number and the hash that it was added with.
type slot struct {
	hash   uint32
	number uint32 // + 1; 0: empty
}

const leastSlots = 1 << 8

// NewIndex makes an Index with room for the expected count of numbers. It grows when there are more.
func NewIndex(m *Memory, expected int) Index {
	size := max(leastSlots, 1<<bits.Len(uint(2*expected)))
	return Index{memory: m, slots: Slice[slot](m, size)}
}

// Release frees the Index, which must not be used any more.
func (x *Index) Release() {
	ReleaseSlice(x.memory, x.slots)
	x.slots = nil
}

// spread makes 32 bits of a hash, of which the highest are used: multiplication by 2^64 divided by the golden ratio spreads
// neighbours (Knuth, The Art of Computer Programming, 6.4).
func spread(hash uint64) uint32 { return uint32(hash * 0x9e3779b97f4a7c15 >> 32) }

// first returns where the search for a hash begins.
func (x *Index) first(hash uint32) uint32 { return hash >> (32 - bits.Len(uint(len(x.slots)-1))) }

// Find returns the number with a hash that is the same as what is looked for.
func (x *Index) Find(hash uint64, same func(number uint32) bool) (number uint32, found bool) {
	short := spread(hash)
	for at := x.first(short); ; at = (at + 1) & uint32(len(x.slots)-1) {
		s := x.slots[at]
		if s.number == 0 {
			return 0, false
		}
		if s.hash == short && same(s.number-1) {
			return s.number - 1, true
		}
	}
}

// Add adds a number, which has not been added before.
func (x *Index) Add(hash uint64, number uint32) {
	if x.count++; 2*x.count > len(x.slots) {
		x.grow()
	}
	x.put(slot{spread(hash), number + 1})
}

func (x *Index) put(s slot) {
	at := x.first(s.hash)
	for x.slots[at].number != 0 {
		at = (at + 1) & uint32(len(x.slots)-1)
	}
	x.slots[at] = s
}

func (x *Index) grow() {
	old := x.slots
	x.slots = Slice[slot](x.memory, 2*len(old))
	for _, s := range old {
		if s.number != 0 {
			x.put(s)
		}
	}
	ReleaseSlice(x.memory, old)
}

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

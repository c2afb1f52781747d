package dwarf

import (
	"math/bits"

	"github.com/cgoheap/cgoheap/internal/scratch"
)

// batch is the addresses of a search, ascending, with a table that leads close to where an address lies among them:
// a program can have a million ranges, and each is looked up.
type batch struct {
	all    []uint64
	starts []int32 // by the bits of (address − the first) from shift up: the first index with these bits or higher ones
	shift  int
}

func newBatch(addresses []uint64, memory *scratch.Memory) batch {
	b := batch{all: addresses}
	if len(addresses) == 0 {
		return b
	}
	extent := addresses[len(addresses)-1] - addresses[0]
	b.shift = max(0, bits.Len64(extent)-bits.Len(uint(len(addresses)))-2)
	b.starts = scratch.Slice[int32](memory, int(extent>>b.shift+2))
	next := 0
	for i, address := range addresses {
		for ; next <= int((address-addresses[0])>>b.shift); next++ {
			b.starts[next] = int32(i)
		}
	}
	for ; next < len(b.starts); next++ {
		b.starts[next] = int32(len(addresses))
	}
	return b
}

// lower returns the index of the first address that is not below the given one.
func (b *batch) lower(address uint64) int {
	switch {
	case len(b.all) == 0 || address <= b.all[0]:
		return 0
	case address > b.all[len(b.all)-1]:
		return len(b.all)
	}
	bucket := (address - b.all[0]) >> b.shift
	low, high := int(b.starts[bucket]), int(b.starts[bucket+1])
	for low < high {
		if middle := (low + high) / 2; b.all[middle] < address {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"cmp"
	"slices"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/tables"
)

// A block that the program reports may lie anywhere:
//
//	in a chunk of malloc's                  it is a part of malloc's memory, as any block
//	in what a call of the program mapped    that memory counts at the stack of the call, as a whole
//	elsewhere                               what is resident of its pages counts; at an address of a device, nothing
//	pinned for a device, and not malloc's   what is resident of its pages is a line of its own, whoever mapped it
//	in memory of a device, by its kind      nothing: it is not in RSS, and what its driver maps of it counts as a mapped device file
//
// If a block counted as malloc's that does not lie there, there would be no room for it in malloc's memory, and all other blocks would have to
// be made smaller.

// ordered are ranges in the order of addresses, which may be asked for in this order, too.
type ordered struct {
	list []account.Range
	at   int
}

func (o *ordered) holds(address uint64) bool {
	for o.at < len(o.list) && o.list[o.at].Limit <= address {
		o.at++
	}
	return o.at < len(o.list) && o.list[o.at].Start <= address
}

// placeReported adds the blocks that the program reported.
func (r *Recording) placeReported(s *residents, h *account.Holding, allocators []account.Malloc) {
	if len(s.reported) == 0 {
		return
	}
	slices.SortFunc(s.reported, func(a, b sized) int { return cmp.Compare(a.Address, b.Address) })
	mallocs := r.placesOfMalloc(h, allocators, s.memory)
	for i := range s.reported {
		b := &s.reported[i]
		switch {
		case mallocs.holds(b.Address):
			s.Add(&b.Block, b.size, 0)
		case b.size > 0 && b.pinned && len(s.pinned) < account.MostLarge:
			s.pinned = scratch.Append(s.memory, s.pinned, b.look(i))
		case b.size > 0 && !b.pinned && len(s.outside) < account.MostLarge:
			s.outside = scratch.Append(s.memory, s.outside, b.look(i))
		}
	}
}

// look returns the block with its index, to be looked up.
func (b *sized) look(i int) account.Block {
	return account.Block{Range: account.Range{Start: b.Address, Limit: b.Address + b.size}, Which: i, Times: float64(b.Bytes.Low) / 16 / float64(b.size)}
}

// addOutside adds to sums what is resident of a block that does not lie in malloc's memory, and nobody's otherwise.
func (s *residents) addOutside(sums *tables.Sums, found *account.Block) {
	b := &s.reported[found.Which]
	if found.Resident > 0 {
		sums.Add(b.Site, tables.Weight{Objects: b.Objects, Bytes: account.Part(b.Bytes, uint64(found.Resident), b.size)})
	}
}

// placesOfMalloc returns the ranges that are known to be malloc's.
func (r *Recording) placesOfMalloc(h *account.Holding, allocators []account.Malloc, memory *scratch.Memory) (places ordered) {
	for i := range allocators {
		places.list = append(places.list, allocators[i].Ranges...)
	}
	list, err := r.mapped(memory)
	if err != nil {
		list = nil
	}
	h.Learn(list, callSite)
	for i := range list {
		if h.Attribute(&list[i], callSite); list[i].Kind == account.Allocator {
			places.list = append(places.list, list[i].Range)
		}
	}
	slices.SortFunc(places.list, func(a, b account.Range) int { return cmp.Compare(a.Start, b.Start) })
	return places
}

// sized is a block with its size.
type sized struct {
	tables.Block
	size   uint64
	pinned bool // of blocks that the program reported: for a device
}

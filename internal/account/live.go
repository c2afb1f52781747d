package account

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/stack"
)

// Blocks of LargeBlock bytes and more are looked up page by page; smaller ones count as resident. At most MostLarge are
// looked up; further ones count as resident too.
const (
	LargeBlock = 64 << 10
	MostLarge  = 1 << 20
)

// Live are recorded blocks in use, on their way to sums of what is resident of them.
type Live struct {
	Sums   *tables.Sums // of what is resident; complete after Finish
	large  []Block
	blocks []tables.Block // the large blocks, by Block.Which
	memory *scratch.Memory

	variance float64 // of the bytes of blocks, which sampling makes

	asked, swapped, overhead tables.Amount // the first two in units of 2^-4 bytes, the last of 2^-16

	read                []Range       // where allocators' memory was read, if not all was, in the order of addresses
	askedIn, overheadIn tables.Amount // of asked and overhead, what lies there
}

// NewLive begins without blocks, in memory. read is where allocators' memory was read if not all was, in the order of addresses.
func NewLive(memory *scratch.Memory, read []Range) *Live {
	return &Live{memory: memory, Sums: tables.NewSums(memory), read: read}
}

// Large returns the large blocks, ascending, for Sources.Blocks.
func (s *Live) Large() []Block {
	slices.SortFunc(s.large, func(a, b Block) int { return cmp.Compare(a.Start, b.Start) })
	return s.large
}

// Finish comes after Take has filled in what is resident of the large blocks.
func (s *Live) Finish() {
	for i := range s.large {
		s.addLarge(&s.large[i])
	}
}

// Add adds a block of malloc's, to which that adds so many bytes.
func (s *Live) Add(b *tables.Block, size, overhead uint64) {
	s.asked = s.asked.Plus(b.Bytes)
	s.variance += b.Variance(size)
	s.overhead = s.overhead.Plus(b.Objects.Times(overhead))
	if s.wasRead(b.Address) {
		s.askedIn, s.overheadIn = s.askedIn.Plus(b.Bytes), s.overheadIn.Plus(b.Objects.Times(overhead))
	}
	if size < LargeBlock || len(s.large) == MostLarge {
		s.Sums.Add(b.Site, b.Weight)
		return
	}
	s.large = scratch.Append(s.memory, s.large, Block{
		Range: Range{Start: b.Address, Limit: b.Address + size}, Which: len(s.blocks)})
	s.blocks = scratch.Append(s.memory, s.blocks, *b)
}

func (s *Live) wasRead(address uint64) bool {
	i, found := slices.BinarySearchFunc(s.read, address, func(r Range, address uint64) int { return cmp.Compare(r.Start, address) })
	return found || i > 0 && address < s.read[i-1].Limit
}

// addLarge adds the part of a large block's weight that is resident. A block without resident bytes counts as no object.
func (s *Live) addLarge(found *Block) {
	b := &s.blocks[found.Which]
	size := found.Limit - found.Start
	s.swapped = s.swapped.Plus(Part(b.Bytes, uint64(found.Swapped), size))
	if found.Resident > 0 {
		s.Sums.Add(b.Site, tables.Weight{Objects: b.Objects, Bytes: Part(b.Bytes, uint64(found.Resident), size)})
	}
}

// Part returns the n of size parts of an amount.
func Part(a tables.Amount, n, size uint64) tables.Amount {
	high, low := bits.Mul64(a.Low, min(n, size))
	share, _ := bits.Div64(high, low, size)
	return tables.Amount{Low: share}
}

// Recorded returns the sums over all blocks.
func (s *Live) Recorded(interval int64) Recorded {
	return Recorded{
		Exact:    interval == 1,
		Size:     Size{Resident: s.Sums.Total.Bytes.Rounded(4, 0), Swapped: s.swapped.Rounded(4, 0)},
		Bytes:    s.asked.Rounded(4, 0),
		Overhead: s.overhead.Rounded(16, 0),
		InRead:   s.askedIn.Rounded(4, 0) + s.overheadIn.Rounded(16, 0),
		Interval: interval,
		Error:    int64(stack.Half(s.variance)),
	}
}

package account

import (
	"cmp"
	"math/bits"
	"os"
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

// An allocator that a library brought along maps its memory by calls from the program's own code, which look like any other. But if
// a block lies in what a call mapped, the call was an allocator's; and so is all that the same call site has mapped,
// with blocks in it or free. Without this, free memory would have the stack of a block that is long gone.

var pageBytes = uint64(os.Getpagesize())

// Holding are the mappings of the program, and whether blocks lie in them.
type Holding struct {
	list  []Mapping // in the order of addresses
	holds []bool
	sites map[stack.Frame]bool // the call sites that have made those with blocks
}

// NewHolding begins with what is mapped, in the order of addresses.
func NewHolding(list []Mapping) (h Holding) {
	h.list = slices.DeleteFunc(list, func(m Mapping) bool { return !m.mayHold() })
	h.holds = make([]bool, len(h.list))
	return h
}

// mayHold reports whether an allocator may have mapped the range as a program does.
func (m *Mapping) mayHold() bool {
	return m.Kind == Program && m.ID != 0 && !m.Shared && !m.File
}

// See notes a block. A large one behind a header at the beginning of a page proves nothing: libc's malloc may have mapped it by
// itself, where a recorded range was unmapped by a call that was not.
func (h *Holding) See(address, size uint64) {
	const header = 16
	if len(h.list) == 0 || size >= LargeBlock && address%pageBytes == header {
		return
	}
	i, found := slices.BinarySearchFunc(h.list, address, func(m Mapping, address uint64) int {
		switch {
		case m.Limit <= address:
			return -1
		case m.Start > address:
			return 1
		}
		return 0
	})
	if found {
		h.holds[i] = true
	}
}

// Learn finds the call sites that have made a mapping that holds blocks. A mapping that is not in the list any more does not count: its
// addresses may have been another's when the block was seen.
func (h *Holding) Learn(list []Mapping, callSiteOf func(*Mapping) stack.Frame) {
	KeepSame(h.list, list, rangeAndCall)
	h.sites = make(map[stack.Frame]bool)
	for i := range h.list {
		if m := &h.list[i]; h.holds[i] && m.Call != 0 {
			h.sites[callSiteOf(m)] = true
		}
	}
}

// Attribute sets the kind of a mapping to the allocator's if it was made at one of these call sites.
func (h *Holding) Attribute(m *Mapping, callSiteOf func(*Mapping) stack.Frame) {
	if len(h.sites) > 0 && m.mayHold() && h.sites[callSiteOf(m)] {
		m.Kind = Allocator
	}
}

// Found reports whether an allocator's call sites were found.
func (h *Holding) Found() bool { return len(h.sites) > 0 }

// KeepSame sets the Call of mappings to 0 that are not in a later list. Both are in the order of addresses.
func KeepSame[M any](before []Mapping, after []M, of func(*M) (Range, uint64)) {
	for i := range before {
		b, same := &before[i], false
		for ; len(after) > 0 && !same; after = after[1:] {
			r, call := of(&after[0])
			if r.Start > b.Start {
				break
			}
			same = r == b.Range && call == b.Call
		}
		if !same {
			b.Call = 0
		}
	}
}

// rangeAndCall are what must be the same.
func rangeAndCall(m *Mapping) (Range, uint64) { return m.Range, m.Call }

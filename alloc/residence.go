//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"cmp"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/stack"
)

// Blocks of largeBlock bytes and more are looked up page by page; smaller ones count as resident. At most mostLarge are
// looked up; further ones count as resident too.
const (
	largeBlock = 64 << 10
	mostLarge  = 1 << 20
)

// ResidentIn returns a snapshot whose values are the resident bytes of the blocks in use, with the Account in which they are
// one line. Both are of about the same moment: pages come and go while they are counted. Allocators' figures come from the
// caller. Samples lie in memory, as SnapshotIn's do. It returns errStopped after Stop.
func (r *Recording) ResidentIn(memory *scratch.Memory, k usage.Kernel, allocators []account.Malloc) (*Snapshot, error) {
	var found *residents
	var calls map[string][]stack.Sample
	s, err := r.snapshot(memory, func(read *tables.Reader) *tables.Samples {
		found = r.reside(read, memory, k, allocators)
		calls = r.mappedSamples(found.mapped)
		return read.InUse(found.sums)
	})
	if err != nil {
		return nil, err
	}
	s.Account, s.Mapped = found.account, calls
	return s, nil
}

// AccountNow returns the account of all memory that is resident in the process, and errStopped after Stop.
func (r *Recording) AccountNow(k usage.Kernel, allocators []account.Malloc) (*account.Account, error) {
	var memory scratch.Memory
	defer memory.Free()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.whole(); err != nil {
		return nil, err
	}
	a := r.reside(r.reader(&memory), &memory, k, allocators).account
	return a, r.whole()
}

// residents are the blocks in use, on their way to samples.
type residents struct {
	sums   *tables.Sums // of what is resident
	large  []account.Block
	blocks []tables.Block // the large blocks, by account.Block.Which
	memory *scratch.Memory

	reported []sized         // blocks that the program reported
	outside  []account.Block // those that do not lie in malloc's memory; Which is the index in reported

	survey  *account.Survey
	account *account.Account
	mapped  []resided

	asked, swapped, overhead tables.Amount // the first two in units of 2^-4 bytes, the last of 2^-16

	read                []account.Range // where allocators' memory was read, if not all was, in the order of addresses
	askedIn, overheadIn tables.Amount   // of asked and overhead, what lies there
}

// reside reads the live table and looks its large blocks up, together with all other pages of the process.
func (r *Recording) reside(read *tables.Reader, memory *scratch.Memory, k usage.Kernel, allocators []account.Malloc) *residents {
	s := &residents{memory: memory, sums: tables.NewSums(memory), read: partsRead(allocators)}
	rule, holding := overheadRule(allocators), r.newHolding(memory)
	read.Blocks(func(b tables.Block) {
		if b.Lost {
			return
		}
		size := read.SizeOf(&b)
		if b.Reported {
			s.reported = scratch.Append(memory, s.reported, sized{b, size})
			return
		}
		s.add(&b, size, rule(size))
		holding.see(b.Address, size)
	})
	r.placeReported(s, &holding, allocators)
	slices.SortFunc(s.large, func(a, b account.Block) int { return cmp.Compare(a.Start, b.Start) })
	s.survey, s.mapped = r.survey(k, &account.Sources{
		Tables: r.tables, Segments: segmentRanges(), Malloc: allocators, Blocks: s.large, Reported: s.outside, Stacks: libcStacks()}, holding, memory)
	for i := range s.large {
		s.addLarge(&s.large[i])
	}
	for i := range s.outside {
		s.addOutside(&s.outside[i])
	}
	s.account = s.survey.Account(s.recorded(r.options.SampleBytes))
	return s
}

// tables returns the memory in which the profiler keeps its records, and in which it works.
func (r *Recording) tables() []account.Range {
	region := cgo.Region()
	start := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(region))))
	ranges := []account.Range{{Start: start, Limit: start + uint64(len(region))}}
	for _, s := range scratch.Mapped() {
		ranges = append(ranges, account.Range{Start: uint64(s.Start), Limit: uint64(s.Limit)})
	}
	return ranges
}

func segmentRanges() (ranges []account.Range) {
	for _, s := range cgo.Segments() {
		ranges = append(ranges, account.Range{Start: s.Start, Limit: s.End})
	}
	return ranges
}

// add adds a block of malloc's, to which that adds so many bytes.
func (s *residents) add(b *tables.Block, size, overhead uint64) {
	s.asked = s.asked.Plus(b.Bytes)
	s.overhead = s.overhead.Plus(b.Objects.Times(overhead))
	if s.wasRead(b.Address) {
		s.askedIn, s.overheadIn = s.askedIn.Plus(b.Bytes), s.overheadIn.Plus(b.Objects.Times(overhead))
	}
	if size < largeBlock || len(s.large) == mostLarge {
		s.sums.Add(b.Site, b.Weight)
		return
	}
	s.large = scratch.Append(s.memory, s.large, account.Block{
		Range: account.Range{Start: b.Address, Limit: b.Address + size}, Which: len(s.blocks)})
	s.blocks = scratch.Append(s.memory, s.blocks, *b)
}

// partsRead returns where memory was read of allocators of which not all was.
func partsRead(allocators []account.Malloc) (parts []account.Range) {
	for i := range allocators {
		parts = append(parts, allocators[i].Read...)
	}
	slices.SortFunc(parts, func(a, b account.Range) int { return cmp.Compare(a.Start, b.Start) })
	return parts
}

func (s *residents) wasRead(address uint64) bool {
	i, found := slices.BinarySearchFunc(s.read, address, func(r account.Range, address uint64) int { return cmp.Compare(r.Start, address) })
	return found || i > 0 && address < s.read[i-1].Limit
}

// addLarge adds the part of a large block's weight that is resident. A block without resident bytes counts as no object.
func (s *residents) addLarge(found *account.Block) {
	b := &s.blocks[found.Which]
	size := found.Limit - found.Start
	s.swapped = s.swapped.Plus(part(b.Bytes, uint64(found.Swapped), size))
	if found.Resident > 0 {
		s.sums.Add(b.Site, tables.Weight{Objects: b.Objects, Bytes: part(b.Bytes, uint64(found.Resident), size)})
	}
}

// part returns the n of size parts of an amount.
func part(a tables.Amount, n, size uint64) tables.Amount {
	high, low := bits.Mul64(a.Low, min(n, size))
	share, _ := bits.Div64(high, low, size)
	return tables.Amount{Low: share}
}

// recorded returns the sums over all blocks.
func (s *residents) recorded(interval int64) account.Recorded {
	return account.Recorded{
		Exact:    interval == 1,
		Size:     account.Size{Resident: s.sums.Total.Bytes.Rounded(4, 0), Swapped: s.swapped.Rounded(4, 0)},
		Bytes:    s.asked.Rounded(4, 0),
		Overhead: s.overhead.Rounded(16, 0),
		InRead:   s.askedIn.Rounded(4, 0) + s.overheadIn.Rounded(16, 0),
		Interval: interval,
	}
}

// overheadRule returns how many bytes the allocator adds to a block; 0 where that is unknown.
func overheadRule(allocators []account.Malloc) func(size uint64) uint64 {
	rounded := account.Rounding(allocators)
	if rounded == nil {
		return func(uint64) uint64 { return 0 }
	}
	return func(size uint64) uint64 { return rounded(size) - size }
}

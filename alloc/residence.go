//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"cmp"
	"os"
	"slices"
	"unsafe"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/stack"
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
		return read.InUseBeside(found.Sums, found.pinnedSums)
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
	*account.Live
	memory *scratch.Memory

	reported []sized         // blocks that the program reported
	pinned   []account.Block // those that are pinned for devices, and do not lie in malloc's memory
	outside  []account.Block // others that do not lie in malloc's memory; Which is the index in reported

	pinnedSums *tables.Sums // of what is resident of pinned

	survey  *account.Survey
	account *account.Account
	mapped  []resided
}

// reside reads the live table and looks its large blocks up, together with all other pages of the process.
func (r *Recording) reside(read *tables.Reader, memory *scratch.Memory, k usage.Kernel, allocators []account.Malloc) *residents {
	stacks := libcStacks() // first: it may wait, and the blocks and their pages are to be of one moment
	s := &residents{memory: memory, Live: account.NewLive(memory, partsRead(allocators)), pinnedSums: tables.NewSums(memory)}
	rule, holding := overheadRule(allocators), r.newHolding(memory)
	read.Blocks(func(b tables.Block) {
		if b.Lost {
			return
		}
		size := read.SizeOf(&b)
		if read.OnDevice(&b) || b.Reported && b.Address>>layout.KeyAddressBits != 0 {
			return
		}
		if b.Reported {
			s.reported = scratch.Append(memory, s.reported, sized{b, size, read.Pinned(&b)})
			return
		}
		s.Add(&b, size, rule(size))
		holding.See(b.Address, size)
	})
	r.placeReported(s, &holding, allocators)
	s.survey, s.mapped = r.survey(k, &account.Sources{
		Tables: r.tables, Segments: rangesOf(cgo.Segments()), Malloc: allocators, Blocks: s.Large(), Reported: s.outside, Pinned: s.pinned, Stacks: stacks}, holding, memory)
	s.Finish()
	for i := range s.outside {
		s.addOutside(s.Sums, &s.outside[i])
	}
	for i := range s.pinned {
		s.addOutside(s.pinnedSums, &s.pinned[i])
	}
	s.account = s.survey.Account(s.Recorded(r.options.SampleBytes))
	return s
}

// tables returns the memory in which the profiler keeps its records, and in which it works.
func (r *Recording) tables() []account.Range {
	region := cgo.Region()
	start := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(region))))
	ranges := []account.Range{{Start: start, Limit: start + uint64(len(region))}}
	if at, size := cgo.Scratch(); size > 0 {
		ranges = append(ranges, account.Range{Start: at, Limit: at + size})
	}
	for _, s := range scratch.Mapped() {
		ranges = append(ranges, account.Range{Start: uint64(s.Start), Limit: uint64(s.Limit)})
	}
	for _, at := range cgo.Wiped() {
		if at < ranges[0].Start || at >= ranges[0].Limit {
			ranges = append(ranges, account.Range{Start: at, Limit: at + uint64(os.Getpagesize())})
		}
	}
	return ranges
}

func rangesOf(segments []cgo.Segment) (ranges []account.Range) {
	for _, s := range segments {
		ranges = append(ranges, account.Range{Start: s.Start, Limit: s.End})
	}
	return ranges
}

// partsRead returns where memory was read of allocators of which not all was.
func partsRead(allocators []account.Malloc) (parts []account.Range) {
	for i := range allocators {
		parts = append(parts, allocators[i].Read...)
	}
	slices.SortFunc(parts, func(a, b account.Range) int { return cmp.Compare(a.Start, b.Start) })
	return parts
}

// overheadRule returns how many bytes the allocator adds to a block; 0 where that is unknown.
func overheadRule(allocators []account.Malloc) func(size uint64) uint64 {
	rounded := account.Rounding(allocators)
	if rounded == nil {
		return func(uint64) uint64 { return 0 }
	}
	return func(size uint64) uint64 { return rounded(size) - size }
}

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

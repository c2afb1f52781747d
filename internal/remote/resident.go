package remote

import (
	"fmt"
	"io"
	"math"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/flight"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
)

// A profile of RSS needs the pages of the process beside the region, from the same moment: all is looked up while the process stands still.
// Whose a page is comes from four places:
//
//	the region     its own pages; recorded blocks in use; who mapped what, by recorded calls
//	the process    the set of what Go's runtime has mapped, the headers of glibc's heaps
//	its files      where the loader has placed modules
//	the kernel     mappings, the stack pointers of threads
//
// Package account attributes the pages, as it does in the process itself. What only the process knows of itself is missing: the figures of its
// allocators and of its Go runtime, and libc's list of threads.

// resident is what was found in the pages of a process.
type resident struct {
	account  *account.Account
	live     *account.Live
	mapped   []account.Mapping // without frames
	found    []account.ByLine  // in each of them
	reported int64             // bytes of blocks in use that the program reported
	unsure   bool              // who mapped what is not known
	rss      int64             // by the kernel, if that is not what the pages add up to; otherwise 0
}

// place is where a process has its region, and what the loader had placed before it was stopped.
type place struct {
	kernel   usage.Kernel
	memory   io.ReaderAt // without pages that the process has not touched
	region   uint64      // its address
	segments []account.Range
}

// segmentsOf returns what the loader has made of a process's files. It reads these files, so it comes before the process is
// stopped: what it loads in between counts by the nature of its mappings.
func segmentsOf(process mappings.Process) (list []account.Range, err error) {
	modules, _, err := process.ModulesAndMade()
	for i := range modules {
		for _, s := range modules[i].Loaded() {
			list = append(list, account.Range{Start: uint64(s.Start), Limit: uint64(s.Limit)})
		}
	}
	return list, err
}

// look looks the pages of the process up, after the region was copied.
func (r *Recording) look(p *place) (*resident, error) {
	found := &resident{live: account.NewLive(nil, nil)}
	found.mapped = r.calls(&found.unsure)
	holding := account.NewHolding(append([]account.Mapping(nil), found.mapped...))
	found.addBlocks(r.reader(nil), &holding)
	callSite := func(m *account.Mapping) stack.Frame { return r.region.CallSite(uint32(m.ID)) }
	holding.Learn(found.mapped, callSite)
	for i := range found.mapped {
		holding.Attribute(&found.mapped[i], callSite)
	}
	sources, err := r.sources(p, found)
	if err != nil {
		return nil, err
	}
	survey := account.Take(p.kernel, sources, nil)
	if err := survey.Unread(); err != nil {
		return nil, fmt.Errorf("looking its pages up: %w", err)
	}
	found.live.Finish()
	found.found = survey.Mapped
	found.account = survey.Account(found.live.Recorded(r.sampleBytes()))
	found.compare(p.kernel)
	return found, nil
}

func (r *Recording) sources(p *place, found *resident) (*account.Sources, error) {
	heaps, err := account.GlibcHeaps(p.kernel.Path("maps"), p.memory)
	if err != nil {
		return nil, err
	}
	s := &account.Sources{
		Tables: func() []account.Range {
			ranges := []account.Range{{Start: p.region, Limit: p.region + r.region.Load64(layout.HeaderSize)}}
			at, size := r.region.Load64(layout.HeaderScratch), r.region.Load64(layout.HeaderScratchSize)
			if size > 0 && at+size > at {
				ranges = append(ranges, account.Range{Start: at, Limit: at + size})
			}
			return ranges
		},
		Segments: p.segments,
		Malloc:   []account.Malloc{{Ranges: heaps}},
		Blocks:   found.live.Large(),
		Fits:     func(i int, shared, inode bool) bool { return found.mapped[i].Fits(shared, inode) },
		Foreign:  &account.Foreign{GoPages: r.goPages(p.memory), GoHeap: goHeapBytes(historyIn(r.region))},
	}
	for i := range found.mapped {
		s.Mapped = append(s.Mapped, found.mapped[i].Mapped)
	}
	return s, nil
}

// calls returns what recorded calls have mapped.
func (r *Recording) calls(unsure *bool) (list []account.Mapping) {
	ranges, ok := r.region.Mapped()
	*unsure = !ok
	kinds := map[uint16]account.Kind{layout.MappedGo: account.Go, layout.MappedAllocator: account.Allocator, layout.MappedProgram: account.Program}
	for _, m := range ranges {
		list = append(list, account.Mapping{
			Mapped: account.Mapped{Range: account.Range{Start: m.Start, Limit: m.Limit}, Kind: kinds[m.Kind], Call: m.Call, ID: uint64(m.Stack)},
			Length: m.Length, Shared: m.Flags&layout.MappedShared != 0, File: m.Flags&layout.MappedFile != 0, Unknown: m.Flags&layout.MappedUnknown != 0,
		})
	}
	return list
}

// goPages returns what Go's runtime has mapped, by the set that the region's header leads to.
func (r *Recording) goPages(memory io.ReaderAt) (ranges []account.Range) {
	set := make(tables.Region, layout.SizeofPageSet)
	if _, err := memory.ReadAt(set, int64(r.region.Load64(layout.HeaderGoPages)&math.MaxInt64)); err != nil {
		return nil
	}
	starts, limits := set.Pages()
	for i := range starts {
		ranges = append(ranges, account.Range{Start: starts[i], Limit: limits[i]})
	}
	return ranges
}

// goHeapBytes returns how much the objects of Go's heap are by the last record of the flight recorder, or else by its note of
// the heap; -1 if there is neither.
func goHeapBytes(h History) int64 {
	if last := h.Last(); last != nil && last.Has(flight.GoHeap) {
		return last.Values[flight.GoHeap]
	}
	if h.Heap == nil {
		return -1
	}
	total := h.Heap.Total()
	return max(0, total.InuseBytes+h.Heap.Rest.InuseBytes)
}

// mostAddress is above all addresses of programs.
const mostAddress = 1 << 57

// addBlocks adds the blocks in use. Those that the program reported may lie anywhere, and count as a part of what they lie in.
func (found *resident) addBlocks(read *tables.Reader, holding *account.Holding) {
	read.Blocks(func(b tables.Block) {
		size := read.SizeOf(&b)
		switch {
		case b.Lost, read.OnDevice(&b), b.Address >= mostAddress, size >= mostAddress-b.Address:
		case b.Reported:
			found.reported += b.Bytes.Rounded(4, 0)
		default:
			found.live.Add(&b, size, 0)
			holding.See(b.Address, size)
		}
	})
}

// compare notes the kernel's figure if it differs from the sum by more than a hundredth and a mebibyte. The quick figure may
// lag behind the exact one, so that is asked on suspicion.
func (found *resident) compare(k usage.Kernel) {
	const always, part = 1 << 20, 100
	for _, read := range []func() (int64, error){k.RSS, k.Rollup} {
		rss, err := read()
		off := max(rss, found.account.RSS.Resident) - min(rss, found.account.RSS.Resident)
		if err == nil && off <= max(always, rss/part) {
			found.rss = 0
			return
		}
		if err == nil {
			found.rss = rss
		}
	}
}

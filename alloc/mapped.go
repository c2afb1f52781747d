//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"cmp"
	"errors"
	"slices"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/stack"
)

var (
	errMappedOff  = errors.New("calls that map memory are not recorded")
	errMappedHeld = errors.New("a thread is stopped while it records what it mapped")
)

// Mappings calls look, which reads the kernel's list, and returns what recorded calls had mapped while it ran, in the order of
// addresses. What changed meanwhile is left out. So no address that look found is attributed to a call that another recorded
// one has undone by then. Nothing is known of calls that were not recorded; what they mapped may not fit the recorded range (Fits).
func (r *Recording) Mappings(look func() error) ([]Mapping, error) {
	r.look()
	r.mu.Lock()
	defer r.mu.Unlock()
	var memory scratch.Memory
	defer memory.Free()
	before, err := r.mapped(&memory)
	if err != nil {
		return nil, err
	}
	if err := look(); err != nil {
		return nil, err
	}
	after, err := r.mapped(&memory)
	if err != nil {
		return nil, err
	}
	list := both(before, after)
	r.addFrames(list)
	return list, nil
}

// Breaks returns what calls of the program have added to its data segment and not taken away, in the order of addresses.
func (r *Recording) Breaks() (breaks []account.Range) {
	if !cgo.BreakMoved() {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var memory scratch.Memory
	defer memory.Free()
	ranges, _ := r.mappedRanges(&memory)
	for i := range ranges {
		if m := &ranges[i]; m.Flags&layout.MappedBreak != 0 && m.Kind == layout.MappedProgram {
			breaks = append(breaks, account.Range{Start: m.Start, Limit: m.Limit})
		}
	}
	return breaks
}

// MappedBytes returns how many bytes the program and its libraries have mapped by recorded calls and not unmapped, resident or not.
func (r *Recording) MappedBytes() (bytes int64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var memory scratch.Memory
	defer memory.Free()
	ranges, err := r.mappedRanges(&memory)
	for i := range ranges {
		if m := &ranges[i]; m.Kind == layout.MappedProgram {
			bytes += int64(m.Limit - m.Start)
		}
	}
	return bytes, err
}

// mapped returns what is mapped now, without frames.
func (r *Recording) mapped(memory *scratch.Memory) ([]Mapping, error) {
	ranges, err := r.mappedRanges(memory)
	list := make([]Mapping, len(ranges))
	for i := range ranges {
		list[i] = mappingOf(&ranges[i])
	}
	scratch.ReleaseSlice(memory, ranges)
	return list, err
}

// mappedRanges returns the same as it is recorded, in memory.
func (r *Recording) mappedRanges(memory *scratch.Memory) ([]cgo.Mapped, error) {
	if r.stopped {
		return nil, errStopped
	}
	if r.mapErr != nil {
		return nil, errMappedOff
	}
	gos := cgo.GoPages() // first: what takes the place of one that is unmapped meanwhile is recorded
	ranges, ok := cgo.ReadMapped(memory)
	if !ok {
		return nil, errMappedHeld
	}
	ranges = withSegments(ranges, memory)
	all := scratch.Slice[cgo.Mapped](memory, 2*len(ranges)+len(gos))[:0] // a range of Go's has a part before each other one
	all = appendWithGos(all, ranges, gos)
	scratch.ReleaseSlice(memory, ranges)
	return all, nil
}

// appendWithGos appends ranges, which are in the order of addresses and do not overlap, together with the parts of Go's own that are in
// none of them: what was recorded is certain.
func appendWithGos(all, ranges, gos []cgo.Mapped) []cgo.Mapped {
	slices.SortFunc(gos, func(a, b cgo.Mapped) int { return cmp.Compare(a.Start, b.Start) })
	var taken uint64 // nothing below it is left to add
	for _, g := range gos {
		g.Start = max(g.Start, taken)
		for len(ranges) > 0 && ranges[0].Start < g.Limit {
			if part := g; g.Start < ranges[0].Start {
				part.Limit = ranges[0].Start
				all = append(all, part)
			}
			g.Start = max(g.Start, ranges[0].Limit)
			all, ranges = append(all, ranges[0]), ranges[1:]
		}
		if g.Start < g.Limit {
			all = append(all, g)
		}
		taken = max(taken, g.Start, g.Limit)
	}
	return append(all, ranges...)
}

func mappingOf(m *cgo.Mapped) Mapping {
	return Mapping{
		Mapped:  account.Mapped{Range: account.Range{Start: m.Start, Limit: m.Limit}, Kind: kindOf(m.Kind), Call: m.Call, ID: uint64(m.Stack)},
		Length:  m.Length,
		Shared:  m.Flags&layout.MappedShared != 0,
		File:    m.Flags&layout.MappedFile != 0,
		Unknown: m.Flags&layout.MappedUnknown != 0,
	}
}

func kindOf(kind uint16) account.Kind {
	switch kind {
	case layout.MappedGo:
		return account.Go
	case layout.MappedAllocator:
		return account.Allocator
	}
	return account.Program
}

// addFrames sets the stacks of the ranges. Their frames have modules as in a snapshot.
func (r *Recording) addFrames(list []Mapping) {
	stacks := tables.NewStacks(region(), r.options.MaxDepth, cgo.Counted(layout.CountStacks), nil)
	numbers := make([]uint32, len(list))
	for i := range list {
		if list[i].ID != 0 {
			numbers[i] = stacks.Number(uint32(list[i].ID))
		}
	}
	stacks.Resolve(r.withModule)
	frames := stacks.Unroll()
	for i := range list {
		if list[i].ID != 0 {
			list[i].Frames = append([]stack.Frame(nil), frames[numbers[i]]...)
		}
	}
}

// newHolding begins with what is mapped now. It is empty where no library brought an allocator along.
func (r *Recording) newHolding(memory *scratch.Memory) account.Holding {
	if len(cgo.BroughtAllocators()) == 0 {
		return account.Holding{}
	}
	list, err := r.mapped(memory)
	if err != nil {
		return account.Holding{}
	}
	return account.NewHolding(list)
}

// silent returns the allocators that cannot be asked what they keep, if any has memory: which of them has it is not known.
func silent(h *account.Holding, brought []cgo.Brought) (list []account.Malloc) {
	for _, b := range brought {
		if h.Found() && b.Hooked && b.Mallctl == nil {
			list = append(list, account.Malloc{Name: b.Prefix + "malloc", Unknown: "the allocator with this function does not report what it has free"})
		}
	}
	return list
}

// callSite returns the innermost frame of the mapping's stack.
func callSite(m *Mapping) stack.Frame { return region().CallSite(uint32(m.ID)) }

package report

import (
	"maps"
	"slices"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

// named is a frame with its module, and what is to be seen of it.
type named struct {
	frame  stack.Frame
	module *mappings.Module
	symbolize.Tidied
	standIn  bool             // the lines are no names
	location pprof.LocationID // 0 before it was asked for
	leaf     *named           // the frame without an allocator's entries; nil before it was asked for
}

// naming is all that a report knows of its frames.
type naming struct {
	*frames
	named   []named // by number, in scratch memory
	missing missing
	standIn standIns

	// What named points to: the garbage collector does not look into scratch memory.
	lines  []*symbolize.Line // the first line of each
	leaves []*named
}

// sentences say what names the profile lacks, and what stands in for them.
func (n *naming) sentences() []string {
	return append(n.missing.sentences(), n.standIn.sentences()...)
}

// name names every different frame of the samples, file by file. The frames lie in the memory. The naming must be kept until
// that is freed: it keeps their lines.
func (r *Report) name(memory *scratch.Memory) *naming {
	n := &naming{frames: framesOf(r.each(), memory)}
	n.named, n.missing = scratch.Slice[named](memory, len(n.list)), make(missing)
	n.lines = make([]*symbolize.Line, 0, len(n.list)/2) // neighbours share theirs
	counts := make(map[stack.ModuleID]int)
	for _, f := range n.list {
		counts[f.Module()]++
	}
	byModule := make(map[stack.ModuleID][]int, len(counts))
	for number, f := range n.list {
		id := f.Module()
		if byModule[id] == nil {
			byModule[id] = make([]int, 0, counts[id])
		}
		byModule[id] = append(byModule[id], number)
	}
	for _, id := range slices.Sorted(maps.Keys(byModule)) {
		r.nameModule(n, r.Module(id), byModule[id])
	}
	r.Names.Note(n.missing.sum())
	return n
}

func (r *Report) nameModule(n *naming, m *mappings.Module, numbers []int) {
	addresses := make([]mappings.ELFAddr, len(numbers))
	for i, number := range numbers {
		addresses[i] = elfAddress(m, n.list[number])
	}
	results := r.Names.Resolve(m, addresses)
	for i, number := range numbers {
		result := results[i]
		if m == nil { // where the loaded files could not be read, the runtime still knows Go's functions
			if lines := symbolize.GoLines(mappings.RuntimeAddr(n.list[number].Address())); lines != nil {
				result = symbolize.Result{Lines: lines}
			}
		}
		n.missing.add(m, result)
		f := named{frame: n.list[number], module: m, Tidied: r.Names.Tidy(result.Lines)}
		switch {
		case len(result.Lines) == 0 && (m == nil || m.IsMade()):
			f.nowhere()
		case !r.Bare:
			n.standIn.add(&f, &result)
		}
		n.keep(f.Lines)
		n.named[number] = f
	}
}

// keep keeps lines from the garbage collector. Neighbours often share theirs.
func (n *naming) keep(lines []symbolize.Line) {
	first, last := unsafe.SliceData(lines), len(n.lines)-1
	if first != nil && (last < 0 || n.lines[last] != first) {
		n.lines = append(n.lines, first)
	}
}

// elfAddress is the frame's address in its file; where no file is known, in memory.
func elfAddress(m *mappings.Module, f stack.Frame) mappings.ELFAddr {
	if m == nil {
		return mappings.ELFAddr(f.Address())
	}
	return m.ELFAddr(mappings.RuntimeAddr(f.Address()))
}

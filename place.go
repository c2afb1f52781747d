package cgoheap

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

// place names every frame of the samples, module by module, and gives each its location; none to the frames that are not
// to be shown. The same samples get the same locations in the same order.
func place(e *pprof.Encoder, s *alloc.Snapshot, samples []stack.Sample, names *symbolize.Symbolizer) map[stack.Frame]pprof.LocationID {
	places := make(map[stack.Frame]pprof.LocationID)
	unnamed := make(map[symbolize.Reason]uint64)
	byModule := framesByModule(samples)
	for _, id := range slices.Sorted(maps.Keys(byModule)) {
		m, frames := s.Module(id), byModule[id]
		for i, r := range resolve(m, frames, names) {
			if r.Reason != symbolize.Named {
				unnamed[r.Reason]++
			}
			if !hidden(r.Lines) {
				places[frames[i]] = e.Location(location(m, frames[i], r.Lines))
			}
		}
	}
	for reason := symbolize.Reason(1); len(unnamed) > 0; reason++ {
		if n := unnamed[reason]; n > 0 {
			e.Comment(fmt.Sprintf("cgoheap: %d addresses without a name. %s", n, reason.Sentence()))
			delete(unnamed, reason)
		}
	}
	return places
}

func framesByModule(samples []stack.Sample) map[stack.ModuleID][]stack.Frame {
	seen := make(map[stack.Frame]bool)
	byModule := make(map[stack.ModuleID][]stack.Frame)
	for i := range samples {
		for _, f := range samples[i].Frames {
			if !seen[f] {
				seen[f] = true
				byModule[f.Module()] = append(byModule[f.Module()], f)
			}
		}
	}
	return byModule
}

func resolve(m *mappings.Module, frames []stack.Frame, names *symbolize.Symbolizer) []symbolize.Result {
	addresses := make([]mappings.ELFAddr, len(frames))
	for i, f := range frames {
		addresses[i] = elfAddress(m, f)
	}
	results := names.Resolve(m, addresses)
	if m != nil {
		return results
	}
	for i, f := range frames { // where the loaded files could not be read, the runtime still knows Go's functions
		if lines := symbolize.GoLines(mappings.RuntimeAddr(f.Address())); lines != nil {
			results[i] = symbolize.Result{Lines: lines}
		}
	}
	return results
}

// elfAddress is the frame's address in its file; where no file is known, in memory.
func elfAddress(m *mappings.Module, f stack.Frame) mappings.ELFAddr {
	if m == nil {
		return mappings.ELFAddr(f.Address())
	}
	return m.ELFAddr(mappings.RuntimeAddr(f.Address()))
}

// hidden is true of the frame below each goroutine's entry, which Go's own profiles leave out as well.
func hidden(lines []symbolize.Line) bool {
	return len(lines) == 1 && lines[0].Function == "runtime.goexit"
}

func location(m *mappings.Module, f stack.Frame, lines []symbolize.Line) pprof.Location {
	l := pprof.Location{Mapping: mapping(m), Address: uint64(elfAddress(m, f))}
	for _, line := range lines {
		l.Lines = append(l.Lines, pprof.Line{
			Function: pprof.Function{
				Name: line.Function, SystemName: line.SystemName, File: line.File, StartLine: int64(line.StartLine),
			},
			Line: int64(line.Line), Column: int64(line.Column),
		})
	}
	return l
}

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

// named is a frame with its module and what it is called.
type named struct {
	frame  stack.Frame
	module *mappings.Module
	symbolize.Result
}

// nameFrames names every frame of the samples, once, module by module. The same samples give the same order.
func nameFrames(s *alloc.Snapshot, samples []stack.Sample, names *symbolize.Symbolizer) []named {
	var list []named
	byModule := framesByModule(samples)
	for _, id := range slices.Sorted(maps.Keys(byModule)) {
		m, frames := s.Module(id), byModule[id]
		for i, r := range resolve(m, frames, names) {
			list = append(list, named{frames[i], m, r})
		}
	}
	return list
}

// place gives each frame its location in the profile; none to those that are not to be shown.
func place(e *pprof.Encoder, frames []named) map[stack.Frame]pprof.LocationID {
	places := make(map[stack.Frame]pprof.LocationID, len(frames))
	for i := range frames {
		if f := &frames[i]; !hidden(f.Lines) {
			places[f.frame] = e.Location(location(f.module, f.frame, f.Lines))
		}
	}
	return places
}

// unnamed says of how many frames there is no name, and why.
func unnamed(frames []named) (sentences []string) {
	count := make(map[symbolize.Reason]int)
	for i := range frames {
		if r := frames[i].Reason; r != symbolize.Named {
			count[r]++
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(count)) {
		sentences = append(sentences, fmt.Sprintf("%d addresses without a name. %s", count[reason], reason.Sentence()))
	}
	return sentences
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

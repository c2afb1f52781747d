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

// named is a frame with its module, what it is called, and what it is to the reader.
type named struct {
	frame  stack.Frame
	module *mappings.Module
	part   symbolize.Part
	symbolize.Result
}

// nameFrames names every frame of the samples, once, module by module, and notes how many have no name. The same samples
// give the same order.
func nameFrames(s *alloc.Snapshot, samples []stack.Sample, names *symbolize.Symbolizer) (list []named, unnamed symbolize.Tally) {
	byModule := framesByModule(samples)
	for _, id := range slices.Sorted(maps.Keys(byModule)) {
		m, frames := s.Module(id), byModule[id]
		for i, r := range resolve(m, frames, names) {
			unnamed.Add(r.Reason)
			lines, part := names.Tidy(r.Lines)
			list = append(list, named{frames[i], m, part, symbolize.Result{Lines: lines, Reason: r.Reason}})
		}
	}
	names.Note(unnamed)
	return list, unnamed
}

func byFrame(frames []named) map[stack.Frame]*named {
	index := make(map[stack.Frame]*named, len(frames))
	for i := range frames {
		index[frames[i].frame] = &frames[i]
	}
	return index
}

// places gives frames their locations in the profile. Those that are never asked for are not in it.
type places struct {
	encoder *pprof.Encoder
	frames  map[stack.Frame]*named
	ids     map[stack.Frame]pprof.LocationID
}

func (p *places) id(f stack.Frame) pprof.LocationID {
	id, ok := p.ids[f]
	if !ok {
		n := p.frames[f]
		id = p.encoder.Location(location(n.module, f, n.Lines))
		p.ids[f] = id
	}
	return id
}

// trim picks the frames of a stack that are to be seen: no glue, and no allocator's entry at the leaf; but all of a stack
// that would have none left. The result is the caller's until the next call.
type trim struct {
	parts map[stack.Frame]symbolize.Part // of all that are not the program's code
	kept  []stack.Frame
}

func newTrim(frames []named) *trim {
	t := &trim{parts: make(map[stack.Frame]symbolize.Part)}
	for i := range frames {
		if f := &frames[i]; f.part != symbolize.Code {
			t.parts[f.frame] = f.part
		}
	}
	return t
}

func (t *trim) frames(all []stack.Frame) []stack.Frame {
	t.kept = t.kept[:0]
	for _, f := range all {
		part := t.parts[f]
		if part == symbolize.Code || part == symbolize.Entry && len(t.kept) > 0 {
			t.kept = append(t.kept, f)
		}
	}
	if len(t.kept) == 0 {
		return all
	}
	return t.kept
}

// unnamed says of how many frames there is no name, and why.
func unnamed(tally symbolize.Tally) (sentences []string) {
	for _, l := range tally.Losses() {
		sentences = append(sentences, fmt.Sprintf("%d addresses without a name. %s", l.Count, l.Sentence))
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

package cgoheap

import (
	"fmt"
	"io"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

// write names a snapshot's frames and writes it.
func write(w io.Writer, s *alloc.Snapshot, names *symbolize.Symbolizer) error {
	e := pprof.NewEncoder(w, pprof.Header{
		Main:        mapping(s.Main),
		SampleBytes: s.SampleBytes,
		Time:        s.Time,
		Comments:    comments(s),
	})
	places := place(e, s, names)
	ids := make([]pprof.LocationID, 0, 128)
	for i := range s.Samples {
		sample := &s.Samples[i]
		ids = ids[:0]
		for _, f := range sample.Frames {
			if id := places[f]; id != 0 {
				ids = append(ids, id)
			}
		}
		if err := e.Sample(ids, sample); err != nil {
			break // Close returns it, or an earlier one
		}
	}
	return e.Close()
}

func mapping(m *mappings.Module) pprof.Mapping {
	if m == nil {
		return pprof.Mapping{}
	}
	return pprof.Mapping{File: m.Path, BuildID: m.BuildID}
}

func comments(s *alloc.Snapshot) []string {
	list := []string{fmt.Sprintf("cgoheap: native allocations since %s, one sample per %d bytes on average",
		s.Start.UTC().Format("2006-01-02 15:04:05 MST"), s.SampleBytes)}
	for _, l := range s.Losses {
		list = append(list, lossComment(l))
	}
	return list
}

func lossComment(l stack.Loss) string {
	return fmt.Sprintf("cgoheap: %s: %d %s", l.Name, l.Count, l.Sentence)
}

// place names every frame of the snapshot, module by module, and gives each its location; none to the frames that are
// not to be shown.
func place(e *pprof.Encoder, s *alloc.Snapshot, names *symbolize.Symbolizer) map[stack.Frame]pprof.LocationID {
	places := make(map[stack.Frame]pprof.LocationID)
	unnamed := make(map[symbolize.Reason]uint64)
	for id, frames := range framesByModule(s) {
		m := s.Module(id)
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

func framesByModule(s *alloc.Snapshot) map[stack.ModuleID][]stack.Frame {
	seen := make(map[stack.Frame]bool)
	byModule := make(map[stack.ModuleID][]stack.Frame)
	for i := range s.Samples {
		for _, f := range s.Samples[i].Frames {
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

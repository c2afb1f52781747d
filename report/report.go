package report

import (
	"io"
	"iter"
	"runtime"

	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

// Report is a profile on its way out. It is written by one goroutine at a time.
type Report struct {
	Header  pprof.Header
	Module  func(stack.ModuleID) *mappings.Module // nil where none is known
	Names   *symbolize.Symbolizer
	Samples []stack.Sample
	Each    iter.Seq[*stack.Sample] // yields more samples, each valid until the next; only for Write, without Cut
	Group   string                  // the key of a label whose values keep their totals when samples are cut away
	Bare    bool                    // no lines for locations without names: servers look for names only where there are none

	rests []stack.Rest // what was cut away
}

// Write writes the report as a profile. It fails if w does.
func (r *Report) Write(w io.Writer) error {
	_, err := r.write(w)
	return err
}

// write says how many bytes the profile has before compression.
func (r *Report) write(w io.Writer) (int64, error) {
	var memory scratch.Memory
	defer memory.Free()
	n := r.name(&memory)
	defer runtime.KeepAlive(n)
	e := pprof.NewEncoder(w, r.Header)
	defer e.Discard()
	e.Expect(len(n.list))
	for _, sentence := range n.sentences() {
		e.Comment("cgoheap: " + sentence)
	}
	var stack []*named
	ids := make([]pprof.LocationID, 0, 128)
	var lines []pprof.Line
	for s := range r.each() {
		stack = n.shown(stack[:0], s.Frames)
		ids = ids[:0]
		for _, f := range stack {
			if f.location == 0 {
				l := f.asLocation(lines[:0])
				f.location, lines = e.Location(l), l.Lines
			}
			ids = append(ids, f.location)
		}
		if e.Sample(ids, s) != nil {
			break // Close returns it, or an earlier one
		}
	}
	r.writeRests(e)
	err := e.Close()
	return e.Size(), err
}

// each are all samples.
func (r *Report) each() iter.Seq[*stack.Sample] {
	return func(yield func(*stack.Sample) bool) {
		for i := range r.Samples {
			if !yield(&r.Samples[i]) {
				return
			}
		}
		if r.Each != nil {
			r.Each(yield)
		}
	}
}

// Mapping is the module as the profile has it; none if it is nil.
func Mapping(m *mappings.Module) pprof.Mapping {
	if m == nil {
		return pprof.Mapping{}
	}
	return pprof.Mapping{File: m.Path, BuildID: m.BuildID}
}

// asLocation is the frame as the profile has it, with its lines appended to a slice.
func (f *named) asLocation(lines []pprof.Line) pprof.Location {
	l := pprof.Location{
		Mapping: Mapping(f.module), Address: uint64(elfAddress(f.module, f.frame)), Lines: lines, StandIn: f.standIn,
	}
	for _, line := range f.Lines {
		l.Lines = append(l.Lines, pprof.Line{
			Function: pprof.Function{
				Name: line.Function, SystemName: line.SystemName, File: line.File, StartLine: int64(line.StartLine),
			},
			Line: int64(line.Line), Column: int64(line.Column),
		})
	}
	return l
}

package report

import (
	"fmt"
	"io"
	"iter"
	"path/filepath"

	"github.com/cgoheap/cgoheap/internal/holders"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

// Report is a profile on its way out. It is written by one goroutine at a time.
type Report struct {
	Header        pprof.Header
	Module        func(stack.ModuleID) *mappings.Module // nil if unknown
	Names         *symbolize.Symbolizer
	Samples       []stack.Sample
	Each          iter.Seq[*stack.Sample] // yields more samples, each valid until the next; only for Write, without Cut
	GoSampleBytes int64                   // mean bytes between samples of Go's own heap, whose samples have the value "go" of the label Group

	Holders []holders.Holder // what frames of the module stack.NoCode are called, by their addresses, from 1

	Group   string // the key of a label whose values keep their totals when samples are cut
	Leaves  []Leaf // memory without stacks, which no cut leaves out
	About   string // for WriteText: what comes before the stacks
	InUse   string // for WriteText: what it says of bytes in use; "": in use
	Bare    bool   // no lines for locations without names: servers look for names only where there are none
	Differs bool   // values are differences of two moments, whose error the samples do not tell
	Foreign bool   // the stacks are of another process, whose Go code the runtime here does not know

	// Seen, if not nil, is called by Write for each sample that is written, with what is shown of its stack, the innermost
	// function first. Where there is no name, it is the file and the address. Neither may be kept.
	Seen func(lines []symbolize.Line, s *stack.Sample)

	rests []stack.Rest            // the sums of the samples that were cut
	cut   map[string]stack.Spread // their variances, by the value of the label Group
}

// Write writes the report as a profile. It fails if w does.
func (r *Report) Write(w io.Writer) error {
	_, err := r.write(w)
	return err
}

// write returns how many bytes the profile has before compression.
func (r *Report) write(w io.Writer) (int64, error) {
	defer scratch.ReturnGarbage(scratch.Allocated())
	var memory scratch.Memory
	defer memory.Free()
	n := r.name(&memory)
	e := pprof.NewEncoder(w, r.Header)
	defer e.Discard()
	e.Expect(len(n.list))
	for _, sentence := range n.sentences() {
		e.Comment("cgoheap: " + sentence)
	}
	var shown []*named
	ids := make([]pprof.LocationID, 0, 128)
	var lines []pprof.Line
	write := func(shown []*named, s *stack.Sample) bool {
		ids = ids[:0]
		for _, f := range shown {
			if f.location == 0 {
				l := n.asLocation(f, lines[:0])
				f.location, lines = e.Location(l), l.Lines
			}
			ids = append(ids, f.location)
		}
		return e.Sample(ids, s) == nil // Close returns it, or an earlier one
	}
	see := r.seer(n)
	total, spread := r.beside()
	again := repeats{naming: n}
	for s := range r.each() {
		total.Add(s.Values)
		spread.Add(r.spread(s))
		shown = n.shown(shown[:0], s.Frames)
		see(shown, s)
		if !again.take(shown, s) && !write(shown, s) {
			break
		}
	}
	for _, one := range again.list {
		write(one.stack, &one.sample)
	}
	r.writeRests(e)
	r.writeLeaves(e)
	for _, sentence := range r.errorComments(total, spread) {
		e.Comment(sentence)
	}
	err := e.Close()
	return e.Size(), err
}

// seer returns a function that calls Seen.
func (r *Report) seer(n *naming) func([]*named, *stack.Sample) {
	if r.Seen == nil {
		return func([]*named, *stack.Sample) {}
	}
	var lines []symbolize.Line
	return func(stack []*named, s *stack.Sample) {
		lines = lines[:0]
		for _, f := range stack {
			if named := n.linesOf(f); len(named) > 0 {
				lines = append(lines, named...)
				continue
			}
			lines = append(lines, symbolize.Line{Function: n.addressOf(f)})
		}
		r.Seen(lines, s)
	}
}

// See calls Seen for each sample, as Write does, and writes nothing.
func (r *Report) See() {
	defer scratch.ReturnGarbage(scratch.Allocated())
	var memory scratch.Memory
	defer memory.Free()
	n := r.name(&memory)
	see := r.seer(n)
	for s := range r.each() {
		see(n.shown(nil, s.Frames), s)
	}
}

// addressOf is what a frame without a name is called: its file, and its address there.
func (n *naming) addressOf(f *named) string {
	m := n.moduleOf(f)
	if m == nil {
		return fmt.Sprintf("%#x", uint64(elfAddress(m, f.frame)))
	}
	return fmt.Sprintf("%s+%#x", filepath.Base(m.Path), uint64(elfAddress(m, f.frame)))
}

// each yields all samples.
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

// Mapping returns the profile's mapping of a module; the zero Mapping for nil.
func Mapping(m *mappings.Module) pprof.Mapping {
	if m == nil {
		return pprof.Mapping{}
	}
	return pprof.Mapping{File: m.Path, BuildID: m.BuildID}
}

// asLocation returns the profile's location of a frame, with its lines appended to a slice.
func (n *naming) asLocation(f *named, lines []pprof.Line) pprof.Location {
	m := n.moduleOf(f)
	l := pprof.Location{Mapping: Mapping(m), Address: uint64(elfAddress(m, f.frame)), Lines: lines, StandIn: f.standIn}
	for _, line := range n.linesOf(f) {
		l.Lines = append(l.Lines, pprof.Line{
			Function: pprof.Function{
				Name: line.Function, SystemName: line.SystemName, File: line.File, StartLine: int64(line.StartLine),
			},
			Line: int64(line.Line), Column: int64(line.Column),
		})
	}
	return l
}

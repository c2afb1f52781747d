package remote

import (
	"io"
	"time"

	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

// View is what a profile shows.
type View struct {
	report.View
	Older  time.Duration // of report.Age: younger blocks are left out
	Within int           // of report.ShortLived: so many of the classes of layout.Lifetimes

	Seen func(lines []symbolize.Line, s *stack.Sample) // as of a report.Report
}

// Write writes a gzipped profile.proto of the recording: native memory, and Go's own heap where the flight recorder has noted it and the
// view is one that Go keeps numbers for. It fails if w does; not after Close.
func (r *Recording) Write(w io.Writer, v View, names *symbolize.Symbolizer) error {
	return withoutFaults(func() error { return r.write(w, v, names) })
}

func (r *Recording) write(w io.Writer, v View, names *symbolize.Symbolizer) error {
	var memory scratch.Memory
	defer memory.Free()
	samples := v.samples(tables.NewReader(r.region, tables.Options{
		Depth:   int(min(r.region.Load64(layout.HeaderMaxDepth), mostDepth)),
		Seed:    r.region.Load64(layout.HeaderSeed),
		Ticks:   r.ticks,
		Stacks:  r.region.Counted(layout.CountStacks),
		Sites:   r.region.Counted(layout.CountSites),
		Stopped: true,
	}, &memory))
	cut := samples.Cut()
	samples.Resolve(r.withModule)
	samples.Seal()
	sampleBytes := int64(r.region.Load64(layout.HeaderSampleBytes))
	out := report.Report{
		Module:  r.module,
		Names:   names,
		Each:    samples.Each(),
		Group:   heapLabel,
		Foreign: true,
		Seen:    v.Seen,
	}
	out.Header.Main = report.Mapping(r.main)
	out.Header.SampleBytes = sampleBytes
	out.Header.Time = r.Time
	out.Header.Columns, out.Header.DefaultType = v.Columns, v.DefaultType
	out.Header.Comments = v.Comments(&stack.Profile{Start: r.Started(), SampleBytes: sampleBytes})
	if heap := r.goHeap(v); heap != nil {
		addHeap(&out, heap, r.Time)
	} else {
		out.Header.Comments = append(out.Header.Comments, "cgoheap: "+withoutHeap)
	}
	if v.Name == report.Peak.Name {
		out.Header.Comments = append(out.Header.Comments, report.PeakComment(r.peak()))
	}
	for _, l := range append(r.losses(), cut...) {
		if l.Count > 0 {
			out.Header.Comments = append(out.Header.Comments, report.LossComment(l))
		}
	}
	return out.Write(w)
}

// withoutHeap says what a profile lacks that the process does not write itself.
const withoutHeap = "read from outside the process: Go's own heap and what only the process can count are not in it"

// mostDepth is the most frames that a recording keeps of a stack (Config.MaxDepth). It bounds what a header that was overwritten may ask for.
const mostDepth = 512

func (v *View) samples(read *tables.Reader) *tables.Samples {
	switch v.Name {
	case report.Peak.Name:
		return read.AtPeak()
	case report.Age.Name:
		return read.OfAge(v.Older)
	case report.ShortLived.Name:
		return read.FreedWithin(v.Within)
	}
	return read.Settled()
}

func (r *Recording) peak() time.Time {
	return r.Started().Add(time.Duration(r.region.Load64(layout.HeaderPeakClock) - r.region.Load64(layout.HeaderClock)))
}

// losses returns the counters of what the profile lacks.
func (r *Recording) losses() (list []stack.Loss) {
	for i, c := range layout.Counters {
		if c.Loss {
			list = append(list, stack.Loss{Name: c.Name, Sentence: c.Sentence, Count: r.region.Counted(i)})
		}
	}
	return list
}

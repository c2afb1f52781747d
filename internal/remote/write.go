package remote

import (
	"errors"
	"fmt"
	"io"
	"strings"
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

// Write writes a gzipped profile.proto of the recording: native memory, and Go's own heap where the flight recorder has noted
// it and the view is one that Go keeps numbers for. It fails if w does; not after Close.
func (r *Recording) Write(w io.Writer, v View, names *symbolize.Symbolizer) error {
	return withoutFaults(func() error { return r.write(w, v, names) })
}

func (r *Recording) write(w io.Writer, v View, names *symbolize.Symbolizer) error {
	var memory scratch.Memory
	defer memory.Free()
	if v.Name == report.RSS.Name && r.pages == nil {
		return ErrNoPages
	}
	if r.Living && (v.Name == report.Peak.Name || v.Name == report.Age.Name) {
		return fmt.Errorf("there is no view %[1]s of the black box of a living process, whose blocks and peak change all the time: cgoheap dump -view %[1]s %[2]d reads it with the "+
			"rights of a debugger", v.Name, r.About.Process)
	}
	samples := r.samples(&v, r.reader(&memory))
	cut := samples.Cut()
	samples.Resolve(r.withModule)
	samples.Seal()
	out := r.report(v, names)
	switch heap := r.goHeap(v); {
	case v.Name == report.RSS.Name:
		r.addResident(&out, samples.Unpack(), heap)
	case heap != nil:
		out.Each = samples.Each()
		addHeap(&out, heap, r.Time)
	default:
		out.Each = samples.Each()
		out.Header.Comments = append(out.Header.Comments, "cgoheap: "+withoutHeap)
	}
	switch {
	case v.Name == report.Age.Name && v.Older > 0:
		out.Header.Comments = append(out.Header.Comments, report.YoungerComment(v.Older))
	case v.Name == report.ShortLived.Name && v.Within > 0:
		out.Header.Comments = append(out.Header.Comments, report.LivedComment(tables.Lifetimes()[v.Within-1]))
	case v.Name == report.Peak.Name:
		out.Header.Comments = append(out.Header.Comments, report.PeakComment(r.peak()))
	}
	if r.Living {
		out.Header.Comments = append(out.Header.Comments, fmt.Sprintf("cgoheap: read from the black box of a living process, as of %s, when it last settled its tables",
			r.Time.UTC().Format(time.RFC3339)))
	}
	for _, l := range append(r.losses(), cut...) {
		if l.Count > 0 {
			out.Header.Comments = append(out.Header.Comments, report.LossComment(l))
		}
	}
	return out.Write(w)
}

// report returns a report without samples.
func (r *Recording) report(v View, names *symbolize.Symbolizer) report.Report {
	out := report.Report{Module: r.module, Names: names, Group: report.HeapLabel, Foreign: true, Seen: v.Seen}
	out.Header.Main = report.Mapping(r.main)
	out.Header.SampleBytes = r.sampleBytes()
	if v.Name == report.Device.Name && r.region.Load64(layout.HeaderDeviceSampled) == 0 {
		out.Header.SampleBytes = 1
	}
	out.Header.Time = r.Time
	out.Header.Columns, out.Header.DefaultType = v.Columns, v.DefaultType
	out.Header.Comments = v.Comments(&stack.Profile{Start: r.Started(), SampleBytes: out.Header.SampleBytes})
	if n := int64(r.region.Load64(layout.HeaderDeviceInUse)) >> 4; n > 0 && v.Name != report.Device.Name {
		out.Header.Comments = append(out.Header.Comments, report.BesideComment(n))
	}
	return out
}

func (r *Recording) reader(memory *scratch.Memory) *tables.Reader {
	return tables.NewReader(r.region, tables.Options{
		Depth:   r.depth(),
		Seed:    r.region.Load64(layout.HeaderSeed),
		Ticks:   r.ticks,
		Stacks:  r.region.Counted(layout.CountStacks),
		Sites:   r.region.Counted(layout.CountSites),
		Stopped: !r.Living,
	}, memory)
}

func (r *Recording) depth() int { return int(min(r.region.Load64(layout.HeaderMaxDepth), mostDepth)) }

func (r *Recording) sampleBytes() int64 { return int64(r.region.Load64(layout.HeaderSampleBytes)) }

// ErrNoPages reports that the pages were not looked up, which the view of RSS needs: only ReadResident does.
var ErrNoPages = errors.New("there is no view rss of a process that is gone, nor of a core file or a black box: which pages were resident is not known")

// withoutHeap says what a profile lacks that the process does not write itself.
const withoutHeap = "read from outside the process: Go's own heap and what only the process can count are not in it"

// mostDepth is the most frames that a recording keeps of a stack (Config.MaxDepth). It bounds what a header that was
// overwritten may ask for.
const mostDepth = 512

func (r *Recording) samples(v *View, read *tables.Reader) *tables.Samples {
	switch v.Name {
	case report.RSS.Name:
		return read.InUse(r.pages.live.Sums)
	case report.Peak.Name:
		return read.AtPeak()
	case report.Age.Name:
		return read.OfAge(v.Older)
	case report.ShortLived.Name:
		return read.FreedWithin(v.Within)
	}
	if v.Name == report.Device.Name {
		read.Of = tables.Device
	}
	return read.Settled()
}

func (r *Recording) peak() time.Time {
	return r.wall(r.region.Load64(layout.HeaderPeakClock))
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

// Mapped returns the bytes of addresses that the program had mapped directly, resident or not; false if that is not certain, because a thread
// was in the midst of mapping.
func (r *Recording) Mapped() (bytes int64, certain bool) {
	list, certain := r.region.Mapped()
	for _, m := range list {
		if m.Kind == layout.MappedProgram {
			bytes += int64(m.Limit - m.Start)
		}
	}
	return bytes, certain
}

// Lost says which blocks or memory the recording lacks, each with how often; what it says of stacks that were cut is in profiles only.
func (r *Recording) Lost() (list []string) {
	for _, l := range r.losses() {
		if l.Count > 0 && !strings.HasPrefix(l.Name, "stacks_cut_") {
			list = append(list, report.LossComment(l))
		}
	}
	return list
}

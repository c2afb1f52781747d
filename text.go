package cgoheap

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/stack"
)

// textStacks is how many stacks the text form shows, unless there is another bound.
const textStacks = 25

// writeText writes the report for a person: totals, the largest stacks with their names, and what was lost.
func (r *report) writeText(w io.Writer) error {
	t := text{Writer: bufio.NewWriter(w), report: r}
	for _, c := range r.header.Comments {
		fmt.Fprintln(t, strings.TrimPrefix(c, "cgoheap: "))
	}
	whole := stack.Profile{Samples: r.samples}
	total := whole.Total()
	for _, rest := range r.rests {
		total.Add(rest.Values)
	}
	fmt.Fprintf(t, "\ntotal: %s\n", t.amounts(total))
	frames, tally := nameFrames(r.snapshot, r.samples, r.names)
	t.names, t.shown = byFrame(frames), newTrim(frames)
	for i, s := range t.largestFirst() {
		t.sample(i+1, &s)
	}
	for _, rest := range r.rests {
		fmt.Fprintf(t, "\nand %d more: %s\n", rest.Samples, t.amounts(rest.Values))
	}
	for _, sentence := range unnamed(tally) {
		fmt.Fprintf(t, "\n%s\n", sentence)
	}
	return t.Flush()
}

// text is a report that is being written for a person.
type text struct {
	*bufio.Writer
	report *report
	names  map[stack.Frame]*named
	shown  *trim
}

// allocated reports whether the report is first of all about what was allocated.
func (t *text) allocated() bool {
	h := &t.report.header
	return h.Columns == pprof.AllocatedColumns || h.DefaultType == "alloc_space"
}

func (t *text) largestFirst() []stack.Sample {
	return slices.SortedStableFunc(slices.Values(t.report.samples), func(a, b stack.Sample) int {
		if t.allocated() {
			return cmp.Compare(b.AllocBytes, a.AllocBytes)
		}
		return cmp.Compare(b.InuseBytes, a.InuseBytes)
	})
}

func (t *text) sample(number int, s *stack.Sample) {
	fmt.Fprintf(t, "\n%d. %s", number, t.amounts(s.Values))
	if s.BlockSize >= 0 {
		fmt.Fprintf(t, ", blocks of %d bytes", s.BlockSize)
	}
	for _, l := range s.Labels {
		if l.Unit != "" {
			fmt.Fprintf(t, ", %s=%d %s", l.Key, l.Number, l.Unit)
		} else {
			fmt.Fprintf(t, ", %s=%s", l.Key, l.Text)
		}
	}
	t.WriteString("\n")
	for _, f := range t.shown.frames(s.Frames) {
		t.frame(t.names[f])
	}
}

func (t *text) frame(f *named) {
	file := ""
	if f.module != nil {
		file = filepath.Base(f.module.Path)
	}
	for _, line := range f.Lines {
		fmt.Fprintf(t, "    %s", line.Function)
		if line.File != "" {
			fmt.Fprintf(t, "  %s:%d", line.File, line.Line)
		} else {
			fmt.Fprintf(t, "  %s", file)
		}
		t.WriteString("\n")
	}
	if len(f.Lines) == 0 {
		fmt.Fprintf(t, "    %#x  %s\n", uint64(elfAddress(f.module, f.frame)), file)
	}
}

// amounts are the values that the report's columns have.
func (t *text) amounts(v stack.Values) string {
	inuse := fmt.Sprintf("in use %s in %d blocks", readableBytes(v.InuseBytes), v.InuseObjects)
	allocated := fmt.Sprintf("allocated %s in %d blocks", readableBytes(v.AllocBytes), v.AllocObjects)
	switch t.report.header.Columns {
	case pprof.InuseColumns:
		return inuse
	case pprof.AllocatedColumns:
		return allocated
	}
	if t.allocated() {
		return allocated + ", " + inuse
	}
	return inuse + ", " + allocated
}

// readableBytes gives three digits, in the largest unit that leaves one before the point.
func readableBytes(n int64) string {
	v, unit := float64(n), -1
	for math.Abs(v) >= 1000 && unit < 5 {
		v /= 1024
		unit++
	}
	if unit < 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.3g %ciB", v, "KMGTPE"[unit])
}

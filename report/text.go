package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/stack"
)

// WriteText writes the report for a person: totals, the stacks with their names, largest first, and what was lost. It
// fails if w does.
func (r *Report) WriteText(w io.Writer) error {
	var memory scratch.Memory
	defer memory.Free()
	t := text{Writer: bufio.NewWriter(w), report: r, naming: r.name(&memory)}
	defer runtime.KeepAlive(t.naming)
	for _, c := range r.Header.Comments {
		fmt.Fprintln(t, strings.TrimPrefix(c, "cgoheap: "))
	}
	whole := stack.Profile{Samples: r.Samples}
	total := whole.Total()
	for _, rest := range r.rests {
		total.Add(rest.Values)
	}
	fmt.Fprintf(t, "\ntotal: %s\n", t.amounts(total))
	for i, s := range t.largestFirst() {
		t.sample(i+1, &s)
	}
	for _, rest := range r.rests {
		fmt.Fprintf(t, "\nand %d more: %s\n", rest.Samples, t.amounts(rest.Values))
	}
	for _, sentence := range t.naming.sentences() {
		fmt.Fprintf(t, "\n%s\n", sentence)
	}
	return t.Flush()
}

// text is a report that is being written for a person.
type text struct {
	*bufio.Writer
	report *Report
	naming *naming
}

// allocated reports whether the report is first of all about what was allocated.
func (t *text) allocated() bool {
	h := &t.report.Header
	return h.Columns == pprof.AllocatedColumns || h.DefaultType == "alloc_space"
}

func (t *text) largestFirst() []stack.Sample {
	return slices.SortedStableFunc(slices.Values(t.report.Samples), func(a, b stack.Sample) int {
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
	fmt.Fprintln(t)
	for _, f := range t.naming.shown(nil, s.Frames) {
		t.frame(f)
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
		fmt.Fprintln(t)
	}
	if len(f.Lines) == 0 {
		fmt.Fprintf(t, "    %#x  %s\n", uint64(elfAddress(f.module, f.frame)), file)
	}
}

// amounts are the values that the report's columns have.
func (t *text) amounts(v stack.Values) string {
	inuse := fmt.Sprintf("in use %s in %d blocks", Bytes(v.InuseBytes), v.InuseObjects)
	allocated := fmt.Sprintf("allocated %s in %d blocks", Bytes(v.AllocBytes), v.AllocObjects)
	switch t.report.Header.Columns {
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

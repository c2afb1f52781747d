package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
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
	for _, c := range r.Header.Comments {
		fmt.Fprintln(t, strings.TrimPrefix(c, "cgoheap: "))
	}
	if r.About != "" {
		fmt.Fprintf(t, "\n%s", r.About)
	}
	total, spread := r.beside()
	for i := range r.Samples {
		total.Add(r.Samples[i].Values)
	}
	spread.Add(r.spreadOf(r.Samples))
	fmt.Fprintf(t, "\ntotal: %s\n", t.amounts(total, spread))
	for i, s := range t.largestFirst() {
		t.sample(i+1, &s)
	}
	for i := range r.rests {
		rest := &r.rests[i]
		fmt.Fprintf(t, "\nand %d more: %s\n", rest.Samples, t.amounts(rest.Values, r.restSpread(rest)))
	}
	t.leaves()
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

// allocated reports whether the report is mainly about what was allocated.
func (t *text) allocated() bool {
	h := &t.report.Header
	return h.Columns == pprof.AllocatedColumns || h.DefaultType == "alloc_space"
}

func (t *text) largestFirst() []stack.Sample {
	return slices.SortedStableFunc(slices.Values(t.naming.joined(t.report.Samples)), func(a, b stack.Sample) int {
		if t.allocated() {
			return cmp.Compare(b.AllocBytes, a.AllocBytes)
		}
		return cmp.Compare(b.InuseBytes, a.InuseBytes)
	})
}

func (t *text) sample(number int, s *stack.Sample) {
	fmt.Fprintf(t, "\n%d. %s", number, t.amounts(s.Values, t.report.spread(s)))
	if s.BlockSize >= 0 {
		fmt.Fprintf(t, ", blocks of %s", Count(s.BlockSize, "byte"))
	}
	for _, l := range s.Labels {
		switch {
		case l.Unit == "":
			fmt.Fprintf(t, ", %s=%s", l.Key, l.Text)
		case l.Key == "age": // the least age of its class
			fmt.Fprintf(t, ", at least %s old", Count(l.Number, strings.TrimSuffix(l.Unit, "s")))
		default:
			fmt.Fprintf(t, ", %s=%d %s", l.Key, l.Number, l.Unit)
		}
	}
	fmt.Fprintln(t)
	for _, f := range t.naming.shown(nil, s.Frames) {
		t.frame(f)
	}
}

func (t *text) frame(f *named) {
	file, m, lines := "", t.naming.moduleOf(f), t.naming.linesOf(f)
	if m != nil && m != nowhereHeld {
		file = filepath.Base(m.Path)
	}
	for _, line := range lines {
		fmt.Fprintf(t, "    %s", line.Function)
		if line.File != "" {
			fmt.Fprintf(t, "  %s:%d", line.File, line.Line)
		} else {
			fmt.Fprintf(t, "  %s", file)
		}
		fmt.Fprintln(t)
	}
	if len(lines) == 0 {
		fmt.Fprintf(t, "    %#x  %s\n", uint64(elfAddress(m, f.frame)), file)
	}
}

// amounts returns the values of the report's columns as text, with their errors.
func (t *text) amounts(v stack.Values, e stack.Spread) string {
	inuse := cmp.Or(t.report.InUse, "in use") + " " + amount(v.InuseBytes, v.InuseObjects, e.InuseBytes, e.InuseObjects)
	allocated := "allocated " + amount(v.AllocBytes, v.AllocObjects, e.AllocBytes, e.AllocObjects)
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

// amount returns bytes in blocks, with their errors.
func amount(bytes, blocks int64, ofBytes, ofBlocks float64) string {
	text := PlusMinus(float64(bytes), stack.Half(ofBytes)) + " in "
	if of := plusMinus(ofBlocks); of != "" {
		return fmt.Sprintf("%s%d%s blocks", text, blocks, of)
	}
	return text + Count(blocks, "block")
}

// Table is a list of amounts for a person, with their shares of a total.
type Table struct {
	Total int64
	text  strings.Builder
}

// Heading adds a line of text.
func (t *Table) Heading(text string) { fmt.Fprintln(&t.text, text) }

// Line adds an amount, and its share if it is a part of the total.
func (t *Table) Line(bytes int64, part bool, name string) {
	share := ""
	if part && t.Total > 0 {
		share = fmt.Sprintf("%.1f%%", 100*float64(bytes)/float64(t.Total))
	}
	fmt.Fprintf(&t.text, "%12s %7s  %s\n", Bytes(bytes), share, name)
}

// Columns adds the headings of the rows that follow.
func (t *Table) Columns(name string, columns ...string) {
	for _, c := range columns {
		fmt.Fprintf(&t.text, "%12s", c)
	}
	fmt.Fprintf(&t.text, "  %s\n", name)
}

// Row adds several amounts of one thing.
func (t *Table) Row(name string, columns ...int64) {
	for _, bytes := range columns {
		fmt.Fprintf(&t.text, "%12s", Bytes(bytes))
	}
	fmt.Fprintf(&t.text, "  %s\n", name)
}

// String returns the table.
func (t *Table) String() string { return t.text.String() }

package leaktest

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/internal/kept"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

// amount is a number of blocks.
type amount struct{ blocks, bytes int64 }

func (a *amount) add(s *stack.Sample) {
	a.blocks += s.InuseObjects
	a.bytes += s.InuseBytes
}

func (a amount) String() string {
	of := " of "
	if a.blocks != 1 {
		of = " with "
	}
	return report.Count(a.blocks, "block") + of + report.Count(a.bytes, "byte")
}

// leak is what is in use of one stack.
type leak struct {
	amount
	stack string // a line for each function, the innermost first
}

// found is what a check has found at one moment.
type found struct {
	leaks   []leak         // the most bytes first
	samples []stack.Sample // of the leaks
	unnamed bool           // the program lacks names of C functions
	doubt   string         // why some blocks may have been freed
	missed  string         // why there may be more of them
	unknown amount
	notDone error // why finalizers and cleanups may still free some of the leaks
}

// names has the names of all checks: most stacks are those of the check before. A test may take memory for names that a service may not.
var names = symbolize.New(symbolize.Options{UnpackBytes: 1 << 30})

// find looks at the blocks that are in use now. The first look is a quick one: most tests leave nothing.
func (c *check) find(first bool) (found, error) {
	look := c.session.recording.Snapshot
	if c.unreachable && !first {
		look = c.lost
	}
	snapshot, err := look()
	if err != nil {
		return found{}, err
	}
	f := found{doubt: firstOf(snapshot.Losses, doubtful), missed: firstOf(snapshot.Losses, missing)}
	var list []stack.Sample
	claimed := make(map[uint64]claim)
	for i := range snapshot.Samples {
		s := &snapshot.Samples[i]
		if s.InuseObjects <= 0 {
			continue
		}
		if whose := c.session.claims(c, s); whose != others {
			claimed[s.ID] = whose
			list = append(list, *s)
		}
	}
	if len(list) == 0 {
		return f, nil
	}
	stacks := make(map[string]*leak)
	err = eachNamed(snapshot, list, func(lines []symbolize.Line, s *stack.Sample) {
		switch {
		case isKept(lines) || c.ignores(lines):
			c.session.answer(s)
		case claimed[s.ID] == unknown:
			f.unknown.add(s)
		default:
			f.add(stacks, lines, s)
		}
	})
	f.sort(stacks)
	return f, err
}

// isKept reports whether libc keeps the blocks of a stack.
func isKept(lines []symbolize.Line) bool {
	return slices.ContainsFunc(lines, func(l symbolize.Line) bool { return kept.Is(l.SystemName) })
}

// eachNamed calls do for each sample, with what is shown of its stack.
func eachNamed(snapshot *alloc.Snapshot, list []stack.Sample, do func([]symbolize.Line, *stack.Sample)) error {
	r := report.Report{
		Header: pprof.Header{Main: report.Mapping(snapshot.Main), Compression: pprof.Uncompressed},
		Module: snapshot.Module, Names: names, Samples: list, Seen: do,
	}
	return r.Write(io.Discard)
}

func (f *found) add(stacks map[string]*leak, lines []symbolize.Line, s *stack.Sample) {
	text := textOf(lines)
	if stacks[text] == nil {
		stacks[text] = &leak{stack: text}
	}
	stacks[text].add(s)
	f.samples = append(f.samples, *s)
	f.unnamed = f.unnamed || slices.ContainsFunc(lines, isUnnamed)
}

func (f *found) sort(stacks map[string]*leak) {
	for _, l := range stacks {
		f.leaks = append(f.leaks, *l)
	}
	slices.SortFunc(f.leaks, func(a, b leak) int {
		return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(b.blocks, a.blocks), cmp.Compare(a.stack, b.stack))
	})
}

// Counters that say that a block may count as in use although it was freed, and that one may be in use and not count as such.
var (
	doubtful = []string{"lost_gate_full", "frees_lost", "freed_in_use", "frees_unseen", "snapshots_unsettled"}
	missing  = []string{"lost_stack_table_full", "lost_site_table_full", "lost_live_table_full", "operators_unseen"}
)

// firstOf returns the sentence of the first loss that is one of the counters; "" if none is.
func firstOf(losses []stack.Loss, counters []string) string {
	for _, l := range losses {
		if l.Count > 0 && slices.Contains(counters, l.Name) {
			return l.Sentence
		}
	}
	return ""
}

func textOf(lines []symbolize.Line) string {
	var text strings.Builder
	end := len(lines)
	for end > 1 && strings.HasPrefix(lines[end-1].Function, "testing.") { // what calls the test
		end--
	}
	for i := range lines[:end] {
		l := &lines[i]
		text.WriteString("        " + l.Function)
		if l.File != "" {
			fmt.Fprintf(&text, "  %s:%d", l.File, l.Line)
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// program is the name of the test's executable, with which functions without a name begin.
var program = func() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	return filepath.Base(path) + "+0x"
}()

func isUnnamed(l symbolize.Line) bool { return program != "" && strings.HasPrefix(l.Function, program) }

const mostLeaks = 20 // that a failure prints

func (f *found) text() string {
	var all amount
	for _, l := range f.leaks {
		all.blocks += l.blocks
		all.bytes += l.bytes
	}
	var text strings.Builder
	fmt.Fprintf(&text, "leaktest: %v, allocated in this test, in use at its end:\n", all)
	for _, l := range f.leaks[:min(len(f.leaks), mostLeaks)] {
		fmt.Fprintf(&text, "    %v\n%s", l.amount, l.stack)
	}
	if more := len(f.leaks) - mostLeaks; more > 0 {
		fmt.Fprintf(&text, "    and %s more\n", report.Count(int64(more), "stack"))
	}
	if f.notDone != nil {
		fmt.Fprintf(&text, "leaktest: %v\n", f.notDone)
	}
	if f.unnamed {
		text.WriteString("leaktest: go test strips the program that it runs; with -ldflags='-s=false -w=false', C functions have names, files and lines\n")
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// notes returns what there is to log.
func (f *found) notes() (list []string) {
	if len(f.leaks) > 0 && f.doubt != "" {
		list = append(list, f.text()+"\nleaktest: this is no failure, because some of it may have been freed: "+f.doubt)
	}
	if f.missed != "" {
		list = append(list, "leaktest: not all was recorded: "+f.missed)
	}
	if f.unknown.blocks > 0 {
		list = append(list, fmt.Sprintf("leaktest: %v in use that may be of this test or of another that ran beside it: not checked, "+
			"because threads of C allocated them, or goroutines without the test's labels", f.unknown))
	}
	return list
}

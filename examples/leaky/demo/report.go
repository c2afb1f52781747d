package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/examples/leaky/flame"
)

const topRows = 10

// printProfile writes what a person wants to know from the profile: where its bytes were allocated, who holds them, and
// along which calls.
func printProfile(w io.Writer, p *profile.Profile) error {
	owners, err := owners(p)
	if err != nil {
		return err
	}
	stacks, err := callStacks(p)
	if err != nil {
		return err
	}
	printTop(w, stacks)
	printOwners(w, owners)
	for _, guilty := range leaking {
		printLargest(w, stacks, guilty, total(stacks))
	}
	printComments(w, p.Comments)
	return nil
}

func total(stacks []*callStack) int64 {
	var sum int64
	for _, s := range stacks {
		sum += s.inUse
	}
	return sum
}

// row is a function in the table of functions: flat is what it allocated itself, cum includes what it called.
type row struct {
	function  string
	flat, cum int64
}

func printTop(w io.Writer, stacks []*callStack) {
	sum := total(stacks)
	fmt.Fprintf(w, "\nnative memory in use, by native function: %s\n\n", flame.FormatBytes(sum))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "flat\tflat%\tcum\tcum%\t  function")
	rows := functions(stacks)
	for _, r := range rows[:min(topRows, len(rows))] {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t  %s\n", flame.FormatBytes(r.flat), flame.FormatShare(r.flat, sum),
			flame.FormatBytes(r.cum), flame.FormatShare(r.cum, sum), r.function)
	}
	table.Flush()
}

// functions are the C and C++ functions on the stacks, sorted by flat.
func functions(stacks []*callStack) []*row {
	rows := map[string]*row{}
	for _, s := range stacks {
		seen := map[string]bool{} // a recursive function counts once
		for i, f := range s.frames {
			if f.kind != flame.C && f.kind != flame.CPlusPlus {
				continue
			}
			r := rows[f.function]
			if r == nil {
				r = &row{function: f.function}
				rows[f.function] = r
			}
			if i == 0 {
				r.flat += s.inUse
			}
			if !seen[f.function] {
				r.cum += s.inUse
			}
			seen[f.function] = true
		}
	}
	return slices.SortedFunc(maps.Values(rows), func(x, y *row) int {
		return cmp.Or(cmp.Compare(y.flat, x.flat), cmp.Compare(y.cum, x.cum), cmp.Compare(x.function, y.function))
	})
}

func printOwners(w io.Writer, owners []*owner) {
	fmt.Fprint(w, "\nnative memory by handler\n\n")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "allocated\tin use\tblocks in use\t  handler")
	for _, o := range owners {
		fmt.Fprintf(table, "%s\t%s\t%d\t  %s\n", flame.FormatBytes(o.allocated), flame.FormatBytes(o.inUse), o.blocks, o.name)
	}
	table.Flush()
}

func countBlocks(n int64) string {
	if n == 1 {
		return "1 block"
	}
	return fmt.Sprintf("%d blocks", n)
}

// printLargest writes the largest stack of an owner, with its share of a sum.
func printLargest(w io.Writer, stacks []*callStack, owner string, sum int64) {
	for _, s := range stacks {
		if s.owner == owner {
			fmt.Fprintf(w, "\n%s: its largest stack holds %s (%s) in %s\n\n", owner,
				flame.FormatBytes(s.inUse), flame.FormatShare(s.inUse, sum), countBlocks(s.blocks))
			printFrames(w, s.frames)
			return
		}
	}
}

func printFrames(w io.Writer, frames []frame) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range frames {
		fmt.Fprintf(table, "  %s\t%s\t%s\n", f.kind, f.function, f.position)
	}
	table.Flush()
}

// printComments writes the profiler's own comments on the profile, such as what it lacks.
func printComments(w io.Writer, comments []string) {
	fmt.Fprintln(w)
	for _, comment := range comments {
		fmt.Fprintln(w, comment)
	}
	fmt.Fprintln(w)
}

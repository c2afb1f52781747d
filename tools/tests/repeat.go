package main

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"slices"
)

// With -repeat, everything runs many times, half of them while every processor is busy, and a table says what failed how often.

// An outcome is how often a test ran and failed: at first, and while every processor was busy.
type outcome struct{ ran, failed [2]int }

// repeatAll ends with the skips of the last run, and prints what failed tests have logged.
func (o options) repeatAll(out io.Writer) (all counts) {
	table := make(map[string]*outcome)
	for i := range o.repeat {
		busy := 0
		if i >= o.repeat/2 {
			busy = 1
		}
		if i == o.repeat/2 {
			keepBusy(2 * runtime.NumCPU())
		}
		all.Skips = nil
		for _, folder := range o.folders {
			var output bytes.Buffer
			r := reader{out: &output}
			c := o.test(folder, &r)
			if c.Failed+c.Broken > 0 {
				fmt.Fprintf(out, "== %s: run %d of %d\n%s", folder, i+1, o.repeat, output.Bytes())
			}
			r.tally(table, busy)
			all.add(c)
		}
	}
	printOutcomes(out, table)
	return all
}

// tally counts tests, and packages that failed without a failed test.
func (r *reader) tally(table map[string]*outcome, busy int) {
	count := func(name string, failed bool) {
		if table[name] == nil {
			table[name] = new(outcome)
		}
		table[name].ran[busy]++
		if failed {
			table[name].failed[busy]++
		}
	}
	for pkg, p := range r.running {
		failed := 0
		for test, o := range p.outcomes {
			if o != "pass" && o != "skip" {
				failed++
			}
			count(pkg+" "+test, o != "pass" && o != "skip")
		}
		count(pkg+", the package", p.failed && failed == 0)
	}
}

func printOutcomes(out io.Writer, table map[string]*outcome) {
	var names []string
	for name, o := range table {
		if o.failed != [2]int{} {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	fmt.Fprintf(out, "%d of %d tests and packages failed in some run\n", len(names), len(table))
	for _, name := range names {
		o := table[name]
		fmt.Fprintf(out, "%4d of %d, busy %4d of %d  %s\n", o.failed[0], o.ran[0], o.failed[1], o.ran[1], name)
	}
}

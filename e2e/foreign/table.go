package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// A row is the result of a suite. A suite that was not run has no runs; a mode that failed has nil.
type row struct {
	suite         string
	runs          []*outcomes // without cgoheap, then one for each mode
	equal         bool
	wrong, flakes int
}

func (r *row) add(got *outcomes, v verdict) {
	r.runs = append(r.runs, got)
	r.equal = r.equal && len(v.wrong) == 0
	r.wrong += len(v.wrong)
	r.flakes += len(v.flakes)
}

func (r row) verdict() string {
	switch {
	case len(r.runs) == 0:
		return "NOT RUN"
	case r.equal:
		return "equal"
	}
	return fmt.Sprintf("%d DIFFER", r.wrong)
}

// printTable prints a line for each suite: how many tests passed, failed and were skipped in each run, and the verdict.
func printTable(out io.Writer, rows []row) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "passed/failed/skipped\twithout\t")
	for _, m := range modes {
		fmt.Fprintf(w, "%s\t", m.name)
	}
	fmt.Fprintln(w, "flakes\toutcomes")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t", r.suite)
		for i := range 1 + len(modes) {
			fmt.Fprintf(w, "%s\t", r.cell(i))
		}
		fmt.Fprintf(w, "%d\t%s\n", r.flakes, r.verdict())
	}
	w.Flush()
}

func (r row) cell(run int) string {
	if run >= len(r.runs) || r.runs[run] == nil {
		return "-"
	}
	o := r.runs[run]
	return fmt.Sprintf("%d/%d/%d", o.count("pass"), o.count("fail")+o.count(unfinished), o.count("skip"))
}

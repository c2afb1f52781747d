package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/cgoheap/cgoheap/e2e/rss/audit"
)

type column struct {
	program program
	*audit.Result
	rest *audit.Result
}

// printTable prints a column for each program: the mean of RSS and of each line's share, and what was worst.
func printTable(out io.Writer, columns []column) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, cell func(column) string) {
		fmt.Fprintf(w, "%-36s\t", name)
		for _, c := range columns {
			fmt.Fprintf(w, "%s\t", cell(c))
		}
		fmt.Fprintln(w)
	}
	most := func(of func(*audit.Moment) float64) func(column) string {
		return func(c column) string { return percent(c.Most(of)) }
	}
	row("", func(c column) string { return c.program.library })
	row("RSS, MB", func(c column) string {
		return fmt.Sprintf("%.0f", c.Mean(func(m *audit.Moment) float64 { return float64(m.Sum()) / 1e6 }))
	})
	for _, name := range lines(columns) {
		row(name, func(c column) string { return percent(c.share(name)) })
	}
	row("largest sum error", most((*audit.Moment).Error))
	row("beyond what became resident", most((*audit.Moment).Excess))
	row("largest sum error at rest", func(c column) string { return percent(c.rest.Most((*audit.Moment).Error)) })
	row("RSS moved at rest, at most", func(c column) string { return percent(c.rest.Most((*audit.Moment).Moved)) })
	row("RSS moved, mean", func(c column) string { return percent(c.Mean((*audit.Moment).Moved)) })
	row("RSS moved, at most", most((*audit.Moment).Moved))
	row("became resident meanwhile, at most", most((*audit.Moment).BecameResident))
	row("least named share", func(c column) string {
		return percent(1 - c.Most(func(m *audit.Moment) float64 { return 1 - m.Named() }))
	})
	row("processors of the load", func(c column) string { return fmt.Sprintf("%.1f", c.Working()) })
	w.Flush()
	for _, c := range columns {
		if c.Remark != "" {
			fmt.Fprintf(out, "%s: %s\n", c.program.library, c.Remark)
		}
	}
}

// share returns a line's mean share.
func (c *column) share(line string) float64 {
	return c.Mean(func(m *audit.Moment) float64 { return float64(m.Lines[line]) / float64(m.Sum()) })
}

// lines returns the names of the lines, the largest mean share first.
func lines(columns []column) (names []string) {
	sum := make(map[string]float64)
	for _, c := range columns {
		seen := make(map[string]bool)
		for i := range c.Moments {
			for name := range c.Moments[i].Lines {
				seen[name] = true
			}
		}
		for name := range seen {
			sum[name] += c.share(name)
		}
	}
	for name := range sum {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(sum[b], sum[a]), cmp.Compare(a, b)) })
	return names
}

// percent is empty for what the table cannot show.
func percent(part float64) string {
	if part < 0.00005 {
		return "-"
	}
	return fmt.Sprintf("%.2f %%", 100*part)
}

package main

import (
	"fmt"
	"slices"
	"time"
)

func printHead() {
	fmt.Println("| | ms | ratio | processor ms | ratio | peak MB | ratio | second profile, ms |")
	fmt.Println("|---|---:|---:|---:|---:|---:|---:|---:|")
}

// printRows prints each contender's medians and their ratios to ours, and both for the minima in brackets: other work on the
// machine makes runs longer, never shorter.
func printRows(p program, all []*contender) {
	base, best := all[ours].figures(median), all[ours].figures(slices.Min[[]int64])
	for i, c := range all {
		m, least, second := c.figures(median), c.figures(slices.Min[[]int64]), ""
		if c.runs[0].stopped {
			fmt.Printf("| %s: %s | > %.0f | > %.0f | | | | | |\n", p.name, c.name, milliseconds(patience), ratio(patience, base.wall))
			continue
		}
		if i == ours {
			second = fmt.Sprintf("%.1f", milliseconds(m.second))
		}
		fmt.Printf("| %s: %s | %.0f (%.0f) | %.1f (%.1f) | %.0f (%.0f) | %.1f (%.1f) | %.1f | %.1f | %s |\n", p.name, c.name,
			milliseconds(m.wall), milliseconds(least.wall), ratio(m.wall, base.wall), ratio(least.wall, best.wall),
			milliseconds(m.processor), milliseconds(least.processor),
			ratio(m.processor, base.processor), ratio(least.processor, best.processor),
			float64(m.kilobytes)/1e3, ratio(m.kilobytes, base.kilobytes), second)
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / 1e6 }

func ratio[T int64 | time.Duration](a, b T) float64 { return float64(a) / float64(b) }

// figures returns the value that choose picks, for each figure by itself, among the runs that were not stopped.
func (c *contender) figures(choose func([]int64) int64) runFigures {
	pick := func(of func(runFigures) int64) int64 {
		var values []int64
		for _, r := range c.runs {
			if !r.stopped {
				values = append(values, of(r))
			}
		}
		if values == nil {
			return 0
		}
		return choose(values)
	}
	return runFigures{
		wall:      time.Duration(pick(func(f runFigures) int64 { return int64(f.wall) })),
		processor: time.Duration(pick(func(f runFigures) int64 { return int64(f.processor) })),
		second:    time.Duration(pick(func(f runFigures) int64 { return int64(f.second) })),
		kilobytes: pick(func(f runFigures) int64 { return f.kilobytes }),
	}
}

func median(values []int64) int64 {
	slices.Sort(values)
	return values[len(values)/2]
}

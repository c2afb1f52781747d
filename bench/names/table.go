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

// printRows prints the medians of each contender, and how many times ours they are.
func printRows(p program, all []*contender) {
	base := all[ours].median()
	for i, c := range all {
		m, second := c.median(), ""
		if c.runs[0].stopped {
			fmt.Printf("| %s: %s | > %.0f | > %.0f | | | | | |\n", p.name, c.name, milliseconds(patience), ratio(patience, base.wall))
			continue
		}
		if i == ours {
			second = fmt.Sprintf("%.1f", milliseconds(m.second))
		}
		fmt.Printf("| %s: %s | %.0f | %.1f | %.0f | %.1f | %.1f | %.1f | %s |\n", p.name, c.name,
			milliseconds(m.wall), ratio(m.wall, base.wall), milliseconds(m.processor), ratio(m.processor, base.processor),
			float64(m.kilobytes)/1e3, ratio(m.kilobytes, base.kilobytes), second)
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / 1e6 }

func ratio[T int64 | time.Duration](a, b T) float64 { return float64(a) / float64(b) }

func (c *contender) median() runFigures {
	return runFigures{
		wall:      median(c.runs, func(f runFigures) time.Duration { return f.wall }),
		processor: median(c.runs, func(f runFigures) time.Duration { return f.processor }),
		second:    median(c.runs, func(f runFigures) time.Duration { return f.second }),
		kilobytes: median(c.runs, func(f runFigures) int64 { return f.kilobytes }),
	}
}

func median[T int64 | time.Duration](runs []runFigures, of func(runFigures) T) T {
	values := make([]T, len(runs))
	for i, r := range runs {
		values[i] = of(r)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

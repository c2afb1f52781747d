package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// printTables prints tables in Markdown: the cases, their sums, and what nobody can tell.
func printTables(out io.Writer, verdicts []*verdict) {
	rows := [][]string{{"case", "lost, MB", "whole: precision", "recall", "64 KiB: precision", "recall", "held by", "LeakSanitizer: precision", "recall"}}
	var all verdict
	for _, v := range verdicts {
		rows = append(rows, v.row(inBytes))
		all.add(v)
	}
	all.name = "all, bytes"
	rows = append(rows, all.row(inBytes))
	all.name = "all, blocks"
	rows = append(rows, all.row(inBlocks))
	printTable(out, rows)
	fmt.Fprintln(out)
	printTable(out, untoldRows(verdicts))
}

// add adds up; of LeakSanitizer, the cases in which it looked.
func (v *verdict) add(w *verdict) {
	v.whole, v.sampled, v.sanitizer = v.whole.plus(w.whole), v.sampled.plus(w.sampled), v.sanitizer.plus(w.sanitizer)
	v.kept, v.held = v.kept.plus(w.kept), v.held.plus(w.held)
	v.sanitized = v.sanitized || w.sanitized
}

func (v *verdict) row(u unit) []string {
	cells := []string{v.name, fmt.Sprintf("%.1f", float64(v.whole.truth.bytes)/1e6),
		percent(v.whole.precision(u)), recallCell(v.whole, u), percent(v.sampled.precision(u)), recallCell(v.sampled, u),
		percent(share(u.of(v.held), u.of(v.kept))), "", ""}
	if v.kept == (amount{}) {
		cells[6] = "–"
	}
	if v.sanitized {
		cells[7], cells[8] = percent(v.sanitizer.precision(u)), recallCell(v.sanitizer, u)
	}
	return cells
}

// recallCell has the recall of what was recorded, which is the recall of the truth where all is.
func recallCell(s score, u unit) string {
	if s.truth == (amount{}) {
		return "–"
	}
	return percent(s.recalled(u))
}

func untoldRows(verdicts []*verdict) [][]string {
	rows := [][]string{{"cannot be told", "MB", "said to be unreachable", "by LeakSanitizer"}}
	for _, v := range verdicts {
		for _, n := range v.untold {
			rows = append(rows, []string{v.name + ": " + n.function, fmt.Sprintf("%.1f", float64(n.truth.bytes)/1e6),
				percent(share(n.reported.bytes, n.truth.bytes)), percent(share(n.sanitizer.bytes, n.truth.bytes))})
		}
	}
	return rows
}

// printTable prints rows, of which the first is the head, with columns of equal width. All but the first are numbers.
func printTable(out io.Writer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for n, row := range rows {
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				fmt.Fprintf(out, "| %s%s |", cell, pad)
			} else {
				fmt.Fprintf(out, " %s%s |", pad, cell)
			}
		}
		fmt.Fprintln(out)
		if n == 0 {
			fmt.Fprintln(out, rule(widths))
		}
	}
}

// rule returns the line below the head, which aligns numbers to the right.
func rule(widths []int) string {
	var line strings.Builder
	for i, width := range widths {
		if i == 0 {
			line.WriteString("|" + strings.Repeat("-", width+2) + "|")
		} else {
			line.WriteString(strings.Repeat("-", width+1) + ":|")
		}
	}
	return line.String()
}

func percent(part float64) string { return fmt.Sprintf("%.2f %%", 100*part) }

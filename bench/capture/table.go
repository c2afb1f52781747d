package main

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// table prints the lines of a contest as Markdown.
type table struct{ out io.Writer }

// line compares ours with a peer's. Ratios are ours to the peer's, or the peer's to ours if the target is how many times as
// fast we are.
type line struct {
	about      string
	ours, peer measured
	target     target
}

// target is the ratio to reach: no more than most or, for the inverse ratio, no less than least. Both are 0 if there is none.
type target struct{ most, least float64 }

func (t *table) head(about, unit, ours, peer string) {
	fmt.Fprintf(t.out, "\n%s, %s:\n\n", about, unit)
	fmt.Fprintf(t.out, "| | %s | %s | ratio | of minima | spread | target |\n", ours, peer)
	fmt.Fprintln(t.out, "|---|---:|---:|---:|---:|---:|---|")
}

func (t *table) print(l line) {
	ratio := l.ours.to(l.peer)
	if l.target.least != 0 {
		ratio = l.peer.to(l.ours)
	}
	fmt.Fprintf(t.out, "| %s | %s | %s | %s | %s | ± %.1f %% | %s |\n", l.about, digits(l.ours.median), digits(l.peer.median),
		times(ratio.median), times(ratio.least), 100*ratio.spread, l.target.says(ratio.median, ratio.spread))
}

// headAlone begins a table of figures that have a limit of their own, and no peer.
func (t *table) headAlone(about, unit string) {
	fmt.Fprintf(t.out, "\n%s:\n\n| | %s | least | spread | target |\n|---|---:|---:|---:|---|\n", about, unit)
}

func (t *table) printAlone(about string, m measured, most float64) {
	says := ""
	if most != 0 {
		says = target{most: most}.String() + ": " + reached(m.median <= most, math.Abs(m.median-most) <= math.Abs(m.median)*m.spread)
	}
	fmt.Fprintf(t.out, "| %s | %s | %s | ± %.1f %% | %s |\n", about, digits(m.median), digits(m.least), 100*m.spread, says)
}

// columns begins a table of medians, and row prints a line of it. The other columns are compared with the first: beside each
// stands its ratio to the first, and at the end the largest spread of the line's ratios.
func (t *table) columns(about string, names ...string) {
	names = append(names, "spread")
	fmt.Fprintf(t.out, "\n%s:\n\n| %s |\n|%s\n", about, strings.Join(names, " | "), strings.Repeat("---:|", len(names)))
}

func (t *table) row(about string, times []measured) {
	fmt.Fprintf(t.out, "| %s | %s |", about, digits(times[0].median))
	spread := 0.0
	for _, m := range times[1:] {
		ratio := m.to(times[0])
		spread = max(spread, ratio.spread)
		fmt.Fprintf(t.out, " %s (%.2f) |", digits(m.median), ratio.median)
	}
	fmt.Fprintf(t.out, " ± %.1f %% |\n", 100*spread)
}

// digits formats a time with as many digits as are meaningful despite the noise.
func digits(x float64) string {
	switch size := math.Abs(x); {
	case size < 1:
		return fmt.Sprintf("%.3f", x)
	case size < 100:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// times formats a ratio, to a thousandth near 1, where that matters.
func times(ratio float64) string {
	if ratio < 10 {
		return fmt.Sprintf("%.3f", ratio)
	}
	return fmt.Sprintf("%.1f", ratio)
}

// placement is how much faster or slower a program gets by where its code happens to lie, which rounds of one binary do not
// show: the same program with 16 to 48 bytes more before its code took 0.986 to 1.008 of its time.
const placement = 0.015

// says returns whether a ratio reaches the target, and whether noise alone may be why. A ratio below zero is a ratio of
// differences whose sign the noise has changed.
func (m target) says(ratio, spread float64) string {
	noise := ratio * (spread + placement)
	switch {
	case m == target{}:
		return ""
	case ratio <= 0:
		return m.String() + ": undecided"
	case m.most != 0:
		return m.String() + ": " + reached(ratio <= m.most, math.Abs(ratio-m.most) <= noise)
	}
	return m.String() + ": " + reached(ratio >= m.least, math.Abs(ratio-m.least) <= noise)
}

func (m target) String() string {
	if m.most != 0 {
		return fmt.Sprintf("≤ %v", m.most)
	}
	return fmt.Sprintf("≥ %v", m.least)
}

func reached(yes, perhaps bool) string {
	says := "missed"
	if yes {
		says = "reached"
	}
	if perhaps {
		says += ", by less than the noise"
	}
	return says
}

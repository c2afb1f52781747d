package main

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// table prints the lines of a contest as Markdown.
type table struct{ out io.Writer }

// line compares ours with a peer's. Ratios are ours to the peer's, or the peer's to ours where it is how many times as
// fast we are that counts.
type line struct {
	about      string
	ours, peer measured
	mark       mark
}

// mark is the ratio to reach: no more than most, or, turned around, no less than least. Both are 0 where there is none.
type mark struct{ most, least float64 }

func (t *table) head(about, unit, ours, peer string) {
	fmt.Fprintf(t.out, "\n%s, %s:\n\n", about, unit)
	fmt.Fprintf(t.out, "| | %s | %s | ratio | of minima | spread | mark |\n", ours, peer)
	fmt.Fprintln(t.out, "|---|---:|---:|---:|---:|---:|---|")
}

func (t *table) print(l line) {
	ratio := l.ours.to(l.peer)
	if l.mark.least != 0 {
		ratio = l.peer.to(l.ours)
	}
	fmt.Fprintf(t.out, "| %s | %s | %s | %s | %s | ± %.1f %% | %s |\n", l.about, digits(l.ours.median), digits(l.peer.median),
		times(ratio.median), times(ratio.least), 100*ratio.spread, l.mark.says(ratio.median, ratio.spread))
}

// headAlone begins a table of figures that have a limit of their own, and no peer.
func (t *table) headAlone(about, unit string) {
	fmt.Fprintf(t.out, "\n%s:\n\n| | %s | least | spread | mark |\n|---|---:|---:|---:|---|\n", about, unit)
}

func (t *table) printAlone(about string, m measured, most float64) {
	says := ""
	if most != 0 {
		says = fmt.Sprintf("≤ %v: %s", most, reached(m.median <= most, m.median*(1-m.spread) <= most))
	}
	fmt.Fprintf(t.out, "| %s | %s | %s | ± %.1f %% | %s |\n", about, digits(m.median), digits(m.least), 100*m.spread, says)
}

// columns begins a table of medians, and row is a line of it.
func (t *table) columns(about string, names ...string) {
	fmt.Fprintf(t.out, "\n%s:\n\n| %s |\n|%s\n", about, strings.Join(names, " | "), strings.Repeat("---:|", len(names)))
}

func (t *table) row(about string, times []measured) {
	fmt.Fprintf(t.out, "| %s |", about)
	for _, m := range times {
		fmt.Fprintf(t.out, " %s |", digits(m.median))
	}
	fmt.Fprintln(t.out)
}

// digits of a time: as many as the noise leaves meaning.
func digits(x float64) string {
	switch size := math.Abs(x); {
	case size < 1:
		return fmt.Sprintf("%.3f", x)
	case size < 100:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// times has a thousandth near 1, where it matters.
func times(ratio float64) string {
	if ratio < 10 {
		return fmt.Sprintf("%.3f", ratio)
	}
	return fmt.Sprintf("%.1f", ratio)
}

// says whether a ratio reaches the mark, and where it does not, whether the noise alone may be why.
func (m mark) says(ratio, spread float64) string {
	switch {
	case m.most != 0:
		return fmt.Sprintf("≤ %v: %s", m.most, reached(ratio <= m.most, ratio*(1-spread) <= m.most))
	case m.least != 0:
		return fmt.Sprintf("≥ %v: %s", m.least, reached(ratio >= m.least, ratio*(1+spread) >= m.least))
	}
	return ""
}

func reached(yes, perhaps bool) string {
	switch {
	case yes:
		return "reached"
	case perhaps:
		return "missed, by less than the spread"
	}
	return "missed"
}

package main

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/plain"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/stack"
)

// difference is what B has more than A.
type difference struct {
	A      string   `json:"a"`
	B      string   `json:"b"`
	Sample string   `json:"sample_type"`
	Unit   string   `json:"unit"`
	Before int64    `json:"before"` // of all rows
	After  int64    `json:"after"`
	Change int64    `json:"change"`
	Error  int64    `json:"error,omitempty"` // of Change: half of its 95 % interval; none if every allocation was recorded
	Rows   []row    `json:"rows"`            // the greatest change first
	Notes  []string `json:"notes,omitempty"`

	Limits []verdict `json:"limits,omitempty"`

	grown map[string][]string // for markdown: the stack that grew most, of each name
}

type row struct {
	Name   string   `json:"name"`
	Stack  []string `json:"stack,omitempty"` // the innermost function first
	Before int64    `json:"before"`
	After  int64    `json:"after"`
	Change int64    `json:"change"`
	Error  int64    `json:"error,omitempty"` // as that of the difference

	variance float64
}

// rowing says what the rows of a difference are.
type rowing struct {
	column int
	stacks bool   // rows are of stacks, not of functions
	of     *limit // only what it is on; nil for all
}

// compare adds the samples up by function, or by stack. Rows in which nothing is different are left out.
func compare(a, b *profile.Profile, by rowing) *difference {
	column := by.column
	d := &difference{Sample: a.SampleType[column].Type, Unit: a.SampleType[column].Unit, Rows: []row{}, Notes: notes(a, b)}
	rows := make(map[[sha256.Size]byte]*row)
	variance, one := 0.0, ofOneRecording(a, b)
	if one && max(a.Period, b.Period) > 1 {
		d.Notes = append(d.Notes, "both are of one recording, and have the same sampled blocks in part: how much of a change is the error of sampling is not known")
	}
	add := func(p *profile.Profile, to func(*row) *int64, total *int64) {
		draw := drawing(p, column)
		if one {
			draw = nil
		}
		for _, s := range p.Sample {
			if by.of != nil && !by.of.counts(s) {
				continue
			}
			name, frames := nameOf(s), []string(nil)
			key := sha256.Sum256([]byte(name))
			if by.stacks {
				frames = framesOf(s)
				key = sumOf(frames)
			}
			r := rows[key]
			if r == nil {
				r = &row{Name: name, Stack: frames}
				rows[key] = r
			}
			*to(r) += s.Value[column]
			*total += s.Value[column]
			if draw != nil {
				d, _ := draw(s)
				r.variance += d.variance
				variance += d.variance
			}
		}
	}
	add(a, func(r *row) *int64 { return &r.Before }, &d.Before)
	add(b, func(r *row) *int64 { return &r.After }, &d.After)
	d.Change, d.Error = d.After-d.Before, halfOf(variance)
	for _, r := range rows {
		r.Error = halfOf(r.variance)
		if r.Change = r.After - r.Before; r.Change != 0 {
			d.Rows = append(d.Rows, *r)
		}
	}
	slices.SortFunc(d.Rows, func(x, y row) int {
		return cmp.Or(cmp.Compare(max(y.Change, -y.Change), max(x.Change, -x.Change)), cmp.Compare(x.Name, y.Name), slices.Compare(x.Stack, y.Stack))
	})
	return d
}

// ofOneRecording reports whether two profiles are of one process and recording.
func ofOneRecording(a, b *profile.Profile) bool {
	since := sinceOf(a)
	return since == sinceOf(b) && since != unknownTime && mainOf(a) == mainOf(b)
}

// halfOf returns half of the 95 % interval of an estimate with a variance.
func halfOf(variance float64) int64 { return int64(math.Round(stack.Half(variance))) }

// sumOf stands for the frames of a stack, whose text may be as long as all names of a profile.
func sumOf(frames []string) (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, frame := range frames {
		_, _ = io.WriteString(h, frame)
		_, _ = io.WriteString(h, "\n")
	}
	h.Sum(sum[:0])
	return sum
}

// notes are what a reader must know of the two.
func notes(a, b *profile.Profile) (list []string) {
	if a.Period != b.Period {
		list = append(list, fmt.Sprintf("the sampling intervals are %d and %d: the values are right on average with each, and only their errors differ", a.Period, b.Period))
	}
	if x, y := mainOf(a), mainOf(b); x != y {
		list = append(list, fmt.Sprintf("the programs are %s and %s", x, y))
	}
	if a.TimeNanos > b.TimeNanos && b.TimeNanos > 0 {
		list = append(list, "the first one is the later one")
	}
	return list
}

func mainOf(p *profile.Profile) string {
	if len(p.Mapping) == 0 {
		return "unknown"
	}
	return filepath.Base(p.Mapping[0].File)
}

// framesOf returns the functions of a sample, the innermost first. One without a name is called by its library and its place there.
func framesOf(s *profile.Sample) (list []string) {
	for _, l := range s.Location {
		named := false
		for _, line := range l.Line {
			if line.Function != nil {
				list, named = append(list, line.Function.Name), true
			}
		}
		if m := l.Mapping; !named && m != nil {
			list = append(list, fmt.Sprintf("%s+%#x", filepath.Base(m.File), l.Address-m.Start+m.Offset))
		} else if !named {
			list = append(list, fmt.Sprintf("%#x", l.Address))
		}
	}
	return list
}

// amountOf returns what writes values of a unit.
func amountOf(unit string) func(int64) string {
	if unit == "bytes" {
		return report.Bytes
	}
	return func(n int64) string { return fmt.Sprint(n) }
}

// text is the difference for a person, with at most so many rows; 0: all.
func (d *difference) text(most int) string {
	var b strings.Builder
	amount := amountOf(d.Unit)
	plus := func(n int64) string {
		if n > 0 {
			return "+" + amount(n)
		}
		return amount(n)
	}
	write := func(r *row) {
		fmt.Fprintf(&b, "%10s %10s %11s  ", amount(r.Before), amount(r.After), plus(r.Change))
		if d.Error > 0 {
			fmt.Fprintf(&b, "± %-9s ", amount(r.Error))
		}
		fmt.Fprintln(&b, plain.Text(r.Name))
		for _, frame := range r.Stack {
			fmt.Fprintf(&b, "%35s%s\n", "", plain.Text(frame))
		}
	}
	fmt.Fprintf(&b, "%10s %10s %11s  ", "before", "after", "change")
	if d.Error > 0 {
		fmt.Fprintf(&b, "± %-9s ", "(95 %)")
	}
	fmt.Fprintf(&b, "%s of %s and %s\n", d.Sample, plain.Text(d.A), plain.Text(d.B))
	shown := d.Rows
	if most > 0 {
		shown = shown[:min(most, len(shown))]
	}
	same := row{Name: "where nothing changed", Before: d.Before, After: d.After}
	for i := range d.Rows {
		same.Before, same.After = same.Before-d.Rows[i].Before, same.After-d.Rows[i].After
	}
	for i := range shown {
		write(&shown[i])
	}
	if rest := d.Rows[len(shown):]; len(rest) > 0 {
		more := row{Name: fmt.Sprintf("%s more", report.Count(int64(len(rest)), "line"))}
		for _, r := range rest {
			more.Before, more.After, more.Change, more.variance = more.Before+r.Before, more.After+r.After, more.Change+r.Change, more.variance+r.variance
		}
		more.Error = halfOf(more.variance)
		write(&more)
	}
	if same.Before != 0 {
		write(&same)
	}
	write(&row{Name: "total", Before: d.Before, After: d.After, Change: d.Change, Error: d.Error})
	for i := range d.Limits {
		fmt.Fprintln(&b, plain.Text(d.Limits[i].text()))
	}
	for _, note := range d.Notes {
		fmt.Fprintln(&b, plain.Text(note))
	}
	return b.String()
}

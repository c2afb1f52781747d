package main

import (
	"fmt"
	"html"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/plain"
	"github.com/cgoheap/cgoheap/internal/report"
)

// mostNamed is how many functions a comment names, with a stack each.
const mostNamed = 5

// markdown is the difference as a comment for a pull request: the limits, and what grew most, with a stack of each.
func (d *difference) markdown(b *profile.Profile, column int) string {
	var text strings.Builder
	exceeded := 0
	for i := range d.Limits {
		if d.Limits[i].Exceeded {
			exceeded++
		}
	}
	switch {
	case len(d.Limits) == 0:
		text.WriteString("### Native memory\n")
	case exceeded == 0:
		fmt.Fprintf(&text, "### Native memory: %s kept\n", report.Count(int64(len(d.Limits)), "limit"))
	default:
		fmt.Fprintf(&text, "### Native memory: %d of %s exceeded\n", exceeded, report.Count(int64(len(d.Limits)), "limit"))
	}
	if len(d.Limits) > 0 {
		text.WriteString("\n| | limit | before | after | change | may be sampling |\n|---|---|---:|---:|---:|---:|\n")
	}
	for i := range d.Limits {
		v := &d.Limits[i]
		amount, mark, by := amountOf(v.Unit), "kept", "nothing"
		if v.Exceeded {
			mark = "**exceeded**"
		}
		if v.Chance > 0 {
			by = amount(int64(v.Chance))
		}
		fmt.Fprintf(&text, "| %s | %s | %s | %s | %s | %s |\n", mark, inTable(v.Limit), amount(v.Before), amount(v.After), inTable(v.change()), by)
	}
	stacks := largestStacks(b, column)
	named := 0
	for _, r := range d.Rows {
		if r.Change <= 0 || named == mostNamed {
			continue
		}
		if named++; named == 1 {
			fmt.Fprintf(&text, "\nWhat grew most in `%s`, with its largest stack:\n", d.Sample)
		}
		fmt.Fprintf(&text, "\n<details><summary>+%s <code>%s</code></summary>\n\n<pre>%s</pre>\n\n</details>\n",
			amountOf(d.Unit)(r.Change), inTable(r.Name), strings.Join(stacks[r.Name], "\n"))
	}
	if named == 0 {
		fmt.Fprintf(&text, "\nNothing grew in `%s`.\n", d.Sample)
	}
	for _, note := range d.Notes {
		fmt.Fprintf(&text, "\nNote: %s.\n", inTable(note))
	}
	return text.String()
}

// largestStacks returns the functions of the largest sample by who holds it, escaped.
func largestStacks(p *profile.Profile, column int) map[string][]string {
	largest := make(map[string]*profile.Sample)
	for _, s := range p.Sample {
		name := nameOf(s)
		if l := largest[name]; l == nil || s.Value[column] > l.Value[column] {
			largest[name] = s
		}
	}
	stacks := make(map[string][]string)
	for name, s := range largest {
		for _, frame := range framesOf(s) {
			stacks[name] = append(stacks[name], html.EscapeString(plain.Text(frame)))
		}
	}
	return stacks
}

// inTable escapes foreign text for a line or a cell.
func inTable(text string) string {
	return strings.NewReplacer("|", "&#124;", "`", "&#96;", "*", "&#42;", "_", "&#95;", "[", "&#91;", "\\", "&#92;").Replace(html.EscapeString(plain.Text(text)))
}

package main

import (
	"fmt"
	"html"
	"strings"

	"github.com/cgoheap/cgoheap/internal/plain"
	"github.com/cgoheap/cgoheap/internal/report"
)

// mostNamed is how many functions a comment names, with a stack each.
const mostNamed = 5

// markdown is the difference as a comment for a pull request: the limits and, unless they are kept, what grew most, with a stack of each.
func (d *difference) markdown() string {
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
	if len(d.Limits) == 0 || exceeded > 0 {
		d.tellGrowth(&text)
	}
	for _, note := range d.Notes {
		fmt.Fprintf(&text, "\nNote: %s.\n", inTable(note))
	}
	return text.String()
}

// tellGrowth adds what grew most, with a stack of each.
func (d *difference) tellGrowth(text *strings.Builder) {
	named := 0
	for _, r := range d.Rows {
		if r.Change <= 0 || named == mostNamed {
			continue
		}
		if named++; named == 1 {
			fmt.Fprintf(text, "\nWhat grew most in `%s`, with the stack that grew most:\n", d.Sample)
		}
		fmt.Fprintf(text, "\n<details><summary>+%s <code>%s</code></summary>\n\n<pre>%s</pre>\n\n</details>\n",
			amountOf(d.Unit)(r.Change), inTable(r.Name), inPre(d.grown[r.Name]))
	}
	if named == 0 {
		fmt.Fprintf(text, "\nNothing grew in `%s`.\n", d.Sample)
	}
}

// grownStacks returns the stack that grew most of each name. The rows are of stacks, the greatest change first.
func grownStacks(rows []row) map[string][]string {
	stacks := make(map[string][]string)
	for _, r := range rows {
		if _, known := stacks[r.Name]; !known && r.Change > 0 {
			stacks[r.Name] = r.Stack
		}
	}
	return stacks
}

// inPre escapes a stack.
func inPre(stack []string) string {
	var lines []string
	for _, frame := range stack {
		lines = append(lines, html.EscapeString(plain.Text(frame)))
	}
	return strings.Join(lines, "\n")
}

// inTable escapes foreign text for a line or a cell.
func inTable(text string) string {
	return strings.NewReplacer("|", "&#124;", "`", "&#96;", "*", "&#42;", "_", "&#95;", "[", "&#91;", "\\", "&#92;").Replace(html.EscapeString(plain.Text(text)))
}

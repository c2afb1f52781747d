package report

import (
	"fmt"
	"strings"
)

// Table is a list of amounts for a person, with their shares of a total.
type Table struct {
	Total int64
	text  strings.Builder
}

// Heading adds a line of text.
func (t *Table) Heading(text string) { fmt.Fprintln(&t.text, text) }

// Line adds an amount, and its share if it is a part of the total.
func (t *Table) Line(bytes int64, part bool, name string) {
	share := ""
	if part && t.Total > 0 {
		share = fmt.Sprintf("%.1f%%", 100*float64(bytes)/float64(t.Total))
	}
	fmt.Fprintf(&t.text, "%12s %7s  %s\n", Bytes(bytes), share, name)
}

// Columns adds the headings of the rows that follow.
func (t *Table) Columns(name string, columns ...string) {
	for _, c := range columns {
		fmt.Fprintf(&t.text, "%12s", c)
	}
	fmt.Fprintf(&t.text, "  %s\n", name)
}

// Row adds several amounts of one thing.
func (t *Table) Row(name string, columns ...int64) {
	for _, bytes := range columns {
		fmt.Fprintf(&t.text, "%12s", Bytes(bytes))
	}
	fmt.Fprintf(&t.text, "  %s\n", name)
}

// String returns the table.
func (t *Table) String() string { return t.text.String() }

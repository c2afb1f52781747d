package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/plain"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/terminal"
)

// frame is how a look is drawn. Rows is 0 where there is no end.
type frame struct {
	columns, rows   int
	colours, blocks bool
	keys            bool // q ends it
	grew            bool // there is a column for what grew
	failed          string
}

func (f *frame) paint(c terminal.Colour, text string) string {
	text = terminal.Cut(text, f.columns)
	if f.colours {
		return c.Paint(text)
	}
	return text
}

// lines returns a look as lines that fit, and no more than there are rows.
func (t *topping) lines(l *overview, f frame) (lines []string) {
	grew := ""
	if passed := l.Time.Sub(t.first.Time); passed > 0 {
		f.grew = true
		grew = fmt.Sprintf("  %s in %v", signed(l.Bytes-t.first.Bytes), passed.Round(time.Second))
	}
	lines = append(lines, f.paint(terminal.Bold, plain.Text(fmt.Sprintf("%s %s%s  %s", l.Total, report.Bytes(l.Bytes), grew, t.source))))
	shown := len(l.Lines)
	if f.rows > 0 {
		shown = min(shown, max(1, (f.rows-3)/2))
	} else if l.Total != "RSS" {
		shown = min(shown, 30)
	}
	for i := range l.Lines[:shown] {
		lines = append(lines, f.part(&l.Lines[i], l.Bytes))
	}
	if more := len(l.Lines) - shown; more > 0 {
		lines = append(lines, f.paint(terminal.Dim, fmt.Sprintf("%11s and %s more", "", report.Count(int64(more), "line"))))
	}
	if len(f.suspects(l.Suspects)) > 0 {
		heading := "suspects"
		if l.Suspects[0].Class == ended {
			heading = "how it ended"
		}
		lines = append(lines, f.paint(terminal.Bold, heading))
	}
	for i, s := range f.suspects(l.Suspects) {
		colour := map[string]terminal.Colour{"leak": terminal.Red, "grows": terminal.Red, "queue": terminal.Yellow, "unheld": terminal.Yellow, "unsure": terminal.Yellow}[s.Class]
		if f.rows == 0 && i == 10 {
			break
		}
		for _, line := range terminal.Wrap(fmt.Sprintf("%d. %s", i+1, plain.Text(s.text())), "   ", f.columns) {
			lines = append(lines, f.paint(colour, line))
		}
	}
	for _, note := range l.Notes {
		lines = append(lines, f.paint(terminal.Yellow, plain.Text(note)))
	}
	if f.rows == 0 {
		return lines
	}
	last := fmt.Sprintf("%s  every %v", l.Time.Local().Format(time.TimeOnly), t.every)
	if f.keys {
		last += ", q ends"
	}
	bottom := f.bottom(last)
	return append(lines[:min(len(lines), f.rows-len(bottom))], bottom...)
}

// bottom is the end of the screen: what failed, or else what to know.
func (f *frame) bottom(otherwise string) (lines []string) {
	if f.failed == "" {
		return []string{f.paint(terminal.Dim, otherwise)}
	}
	const most = 3
	for _, line := range terminal.Wrap(plain.Text(f.failed), "", f.columns) {
		if len(lines) < min(most, f.rows) {
			lines = append(lines, f.paint(terminal.Yellow, line))
		}
	}
	return lines
}

// fewRows is a terminal on which there is no room for what needs no look.
const fewRows = 24

// suspects returns those that are shown.
func (f *frame) suspects(all []suspect) (shown []suspect) {
	for _, s := range all {
		if s.Class != "steady" || f.rows == 0 || f.rows > fewRows {
			shown = append(shown, s)
		}
	}
	return shown
}

const barColumns = 12

func (f *frame) part(p *part, total int64) string {
	share := 0.0
	if total > 0 {
		share = min(1, max(0, float64(p.Bytes)/float64(total)))
	}
	mark := "#"
	if f.blocks {
		mark = "█"
	}
	bar := strings.Repeat(mark, int(share*barColumns+0.5))
	grew := ""
	if f.grew {
		grew = fmt.Sprintf(" %9s", change(p.Grew))
	}
	left := fmt.Sprintf("%9s %5.1f%% ", report.Bytes(p.Bytes), 100*share)
	right := fmt.Sprintf("%s%s  %s", strings.Repeat(" ", barColumns-terminal.Width(bar)), grew, plain.Text(p.Name)+p.doubt())
	if f.colours {
		colour := terminal.Blue
		if strings.HasPrefix(p.Name, "Go") {
			colour = terminal.Cyan
		} else if strings.HasPrefix(p.Name, "malloc") {
			colour = terminal.Yellow
		}
		bar = colour.Paint(bar)
	}
	return left + bar + terminal.Cut(right, max(0, f.columns-len(left)-int(share*barColumns+0.5)))
}

// doubt says that a part is an estimate, as the text of the account does.
func (p *part) doubt() string {
	if p.Known != account.Estimate.String() {
		return ""
	}
	if p.Error > 0 {
		return fmt.Sprintf(" (estimate ± %s)", report.Bytes(p.Error))
	}
	return " (estimate)"
}

// change is signed, and empty where nothing changed.
func change(bytes int64) string {
	if bytes == 0 {
		return ""
	}
	return signed(bytes)
}

func signed(bytes int64) string {
	if bytes > 0 {
		return "+" + report.Bytes(bytes)
	}
	return report.Bytes(bytes)
}

package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// Footer is the last lines of a terminal above which others go on to write: what they write scrolls there only.
type Footer struct {
	to     *os.File
	mu     sync.Mutex // guards what follows
	lines  int
	rows   int // of the terminal, when the lines were set apart
	closed bool
}

// NewFooter returns a footer without lines. It must be closed.
func NewFooter(to *os.File) *Footer {
	f := &Footer{to: to}
	f.listen()
	return f
}

// Draw replaces the lines, which are plain, but for their colours, and fit. None are there while the terminal has no room for them, or
// this process is in its background. After Close it does nothing.
func (f *Footer) Draw(lines []string) error { return f.draw(lines, func() {}) }

// Wipe gives the lines back until the next Draw.
func (f *Footer) Wipe() error { return f.Draw(nil) }

// Close gives the lines back for good.
func (f *Footer) Close() error { return f.draw(nil, func() { f.closed = true }) }

// draw calls then before anything else can be drawn.
func (f *Footer) draw(lines []string, then func()) (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed {
		if !inForeground(f.to) {
			lines = nil
		}
		_, rows := Size(f.to)
		if text := f.drawn(lines, rows); text != "" { // in the background, even an empty write may stop this process
			_, err = io.WriteString(f.to, text) // at once: others write, too
		}
	}
	then()
	return err
}

const (
	saveCursor    = "\x1b7"
	restoreCursor = "\x1b8"
	wholeScreen   = saveCursor + "\x1b[r" + restoreCursor // no region; to set one moves the cursor
)

// drawn sets lines apart at the bottom of so many rows, and fills them. It does so each time, because the program may have given them back.
func (f *Footer) drawn(lines []string, rows int) string {
	if len(lines) >= rows {
		lines = nil
	}
	var b strings.Builder
	if f.lines > 0 && (f.lines != len(lines) || f.rows != rows) {
		b.WriteString(f.wiped(rows))
	}
	f.lines, f.rows = len(lines), rows
	if f.lines == 0 {
		return b.String()
	}
	fmt.Fprintf(&b, "%s\x1b[1;%dr", roomBelow(f.lines), rows-f.lines)
	for i, line := range lines {
		fmt.Fprintf(&b, "\x1b[%d;1H%s\x1b[K", rows-f.lines+1+i, line)
	}
	b.WriteString(restoreCursor)
	return b.String()
}

// wiped gives the lines back on a terminal that has so many rows now. If it had others, nobody knows where the lines have got to, but
// that they are below the cursor.
func (f *Footer) wiped(rows int) string {
	switch rows {
	case 1: // the cursor's
		return wholeScreen
	case f.rows:
		return roomBelow(f.lines) + fmt.Sprintf("\x1b[%d;1H\x1b[J", rows-f.lines+1) + restoreCursor
	}
	return roomBelow(1) + "\x1b[B\r\x1b[J" + restoreCursor
}

// roomBelow ends the region, scrolls until so many lines are below the cursor, and saves that. The cursor's column stays, as it would not
// with line feeds, which a terminal's driver takes for the end of a line.
func roomBelow(lines int) string {
	return wholeScreen + strings.Repeat("\x1bD", lines) + fmt.Sprintf("\x1b[%dA", lines) + saveCursor
}

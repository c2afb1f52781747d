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
func NewFooter(to *os.File) *Footer { return &Footer{to: to} }

// Draw replaces the lines, which are plain, but for their colours, and fit. After Close it does nothing.
func (f *Footer) Draw(lines []string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil
	}
	_, rows := Size(f.to)
	_, err := io.WriteString(f.to, f.drawn(lines, rows)) // at once: others write, too
	return err
}

// Close gives the lines back.
func (f *Footer) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	_, err := io.WriteString(f.to, f.wiped())
	return err
}

const (
	saveCursor    = "\x1b7"
	restoreCursor = "\x1b8"
)

// drawn sets lines apart at the bottom of so many rows, if they are not yet, and fills them.
func (f *Footer) drawn(lines []string, rows int) string {
	var b strings.Builder
	if f.lines != len(lines) || f.rows != rows {
		b.WriteString(f.wiped())
		f.lines, f.rows = len(lines), rows
		// Room is made below the cursor, which setting the region moves.
		fmt.Fprintf(&b, "%s\x1b[%dA"+saveCursor+"\x1b[1;%dr"+restoreCursor, strings.Repeat("\n", f.lines), f.lines, rows-f.lines)
	}
	b.WriteString(saveCursor)
	for i, line := range lines {
		fmt.Fprintf(&b, "\x1b[%d;1H%s\x1b[K", rows-f.lines+1+i, line)
	}
	b.WriteString(restoreCursor)
	return b.String()
}

func (f *Footer) wiped() string {
	if f.lines == 0 {
		return ""
	}
	return fmt.Sprintf(saveCursor+"\x1b[r\x1b[%d;1H\x1b[J"+restoreCursor, f.rows-f.lines+1)
}

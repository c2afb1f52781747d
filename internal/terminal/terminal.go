package terminal

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/plain"
)

// Is reports whether a stream is a terminal.
func Is(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && f != nil && isTerminal(f)
}

// Size returns the columns and rows of a terminal; 80 and 24 if it does not tell, or the stream is none.
func Size(stream any) (columns, rows int) {
	if f, ok := stream.(*os.File); ok && f != nil {
		if columns, rows = sizeOf(f); columns > 0 && rows > 0 {
			return columns, rows
		}
	}
	return 80, 24
}

// Colours reports whether text on a stream may be coloured: on a terminal, unless NO_COLOR is set (no-color.org) or the terminal knows none.
func Colours(stream any) bool {
	return Is(stream) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// Unicode reports whether the locale says that a terminal shows characters beyond ASCII.
func Unicode() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := os.Getenv(name); value != "" {
			value = strings.ToLower(value)
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return false
}

// A Colour is the number of a terminal's colour, as in ECMA-48.
type Colour int

// The colours, and what is no colour but has a number as well.
const (
	None    Colour = 0
	Bold    Colour = 1
	Dim     Colour = 2
	Red     Colour = 31
	Green   Colour = 32
	Yellow  Colour = 33
	Blue    Colour = 34
	Magenta Colour = 35
	Cyan    Colour = 36
)

// Screen is a terminal that is redrawn until it is closed, while what was on it before is kept.
type Screen struct {
	Keys    <-chan byte     // keys that are pressed; it never yields if nobody can press any
	Resized <-chan struct{} // the terminal has another size
	to      *os.File
	restore func()
}

// Open begins to draw on a terminal. Keys come from in, if that is a terminal, too. It must be closed.
func Open(to *os.File, in io.Reader) (*Screen, error) {
	s := &Screen{to: to}
	if err := s.prepare(in); err != nil {
		return nil, err
	}
	if _, err := io.WriteString(to, "\x1b[?1049h\x1b[?25l"); err != nil { // the other screen, no cursor
		s.restore()
		return nil, err
	}
	return s, nil
}

// Close puts everything back.
func (s *Screen) Close() error {
	_, err := io.WriteString(s.to, "\x1b[?25h\x1b[?1049l")
	s.restore()
	return err
}

// Draw replaces what is on the screen. Lines are plain, but for their colours, and fit.
func (s *Screen) Draw(lines []string) error {
	var b strings.Builder
	b.WriteString("\x1b[H")
	for i, line := range lines {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString(line + "\x1b[K")
	}
	b.WriteString("\x1b[J")
	_, err := io.WriteString(s.to, b.String())
	return err
}

// Paint returns plain text in a colour.
func (c Colour) Paint(text string) string {
	if c == None || text == "" {
		return text
	}
	return "\x1b[" + strconv.Itoa(int(c)) + "m" + text + "\x1b[0m"
}

// patience is how long something may take without a word.
const patience = time.Second

// Progress runs do. If that takes more than a second, it says what is being done, and for how long, in a line that is gone
// afterwards; on a terminal only.
func Progress(to io.Writer, what string, do func() error) error {
	if !Is(to) {
		return do()
	}
	return progress(to, what, patience, do)
}

func progress(to io.Writer, what string, every time.Duration, do func() error) error {
	begin, ended, told := time.Now(), make(chan struct{}), make(chan struct{})
	go background.Run("telling of progress", func() {
		defer close(told)
		ticks := time.NewTicker(every)
		defer ticks.Stop()
		said := false
		for {
			select {
			case <-ticks.C:
				said = true
				fmt.Fprintf(to, "\r%s: %.0f s\x1b[K", Cut(plain.Text(what), 60), time.Since(begin).Seconds())
			case <-ended:
				if said {
					fmt.Fprint(to, "\r\x1b[K")
				}
				return
			}
		}
	}, nil)
	defer func() { close(ended); <-told }()
	return do()
}

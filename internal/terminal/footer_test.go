package terminal

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// tube shows what is written to it as a terminal behind a driver does that makes a line's end of each line feed.
type tube struct {
	cells                  [][]rune
	row, column, top, last int // from 0
	savedRow, savedColumn  int
}

func newTube(rows int) *tube {
	s := &tube{}
	s.resize(rows)
	return s
}

// resize gives or takes rows at the bottom, or at the top where the cursor would be lost. It leaves no region.
func (s *tube) resize(rows int) {
	for s.row >= rows {
		s.cells, s.row = s.cells[1:], s.row-1
	}
	for len(s.cells) < rows {
		s.cells = append(s.cells, []rune(strings.Repeat(" ", 20)))
	}
	s.cells, s.top, s.last = s.cells[:rows], 0, rows-1
}

func (s *tube) index() {
	switch {
	case s.row == s.last:
		copy(s.cells[s.top:], s.cells[s.top+1:s.last+1])
		s.cells[s.last] = []rune(strings.Repeat(" ", 20))
	case s.row < len(s.cells)-1:
		s.row++
	}
}

var sequence = regexp.MustCompile(`^\x1b(?:([78D])|\[([0-9;]*)([ABHJKr]))`)

func (s *tube) write(text string) {
	for text != "" {
		if m := sequence.FindStringSubmatch(text); m != nil {
			s.obey(m[1]+m[3], strings.Split(m[2], ";"))
			text = text[len(m[0]):]
			continue
		}
		switch c := text[0]; c {
		case '\n':
			s.column = 0
			s.index()
		case '\r':
			s.column = 0
		case '\x1b':
			panic(fmt.Sprintf("%q is not known", text))
		default:
			s.cells[s.row][s.column] = rune(c)
			s.column++
		}
		text = text[1:]
	}
}

func (s *tube) obey(what string, numbers []string) {
	number := func(i, missing int) int {
		if i < len(numbers) && numbers[i] != "" && numbers[i] != "0" {
			n, _ := strconv.Atoi(numbers[i])
			return n
		}
		return missing
	}
	bottom := len(s.cells) - 1
	blank := func(row, column int) {
		for i := column; i < len(s.cells[row]); i++ {
			s.cells[row][i] = ' '
		}
	}
	switch what {
	case "7":
		s.savedRow, s.savedColumn = s.row, s.column
	case "8":
		s.row, s.column = min(s.savedRow, bottom), s.savedColumn
	case "D":
		s.index()
	case "A":
		s.row = max(s.row-number(0, 1), 0)
	case "B":
		s.row = min(s.row+number(0, 1), bottom)
	case "H":
		s.row, s.column = min(number(0, 1)-1, bottom), number(1, 1)-1
	case "K":
		blank(s.row, s.column)
	case "J":
		from := number(0, 0)
		for i := range s.cells {
			if from == 2 || i > s.row {
				blank(i, 0)
			}
		}
		blank(s.row, s.column)
	case "r":
		s.top, s.last = number(0, 1)-1, number(1, bottom+1)-1
		s.row, s.column = 0, 0
	}
}

// shown returns the lines, with a mark where the cursor is.
func (s *tube) shown() string {
	var lines []string
	for i, cells := range s.cells {
		line := string(cells)
		if i == s.row {
			line = line[:s.column] + "_" + line[s.column:]
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "|")
}

func (s *tube) whole() bool { return s.top == 0 && s.last == len(s.cells)-1 }

// What others write above it scrolls there only, and the cursor is where it was.
func TestAFooterSetsLinesApart(t *testing.T) {
	two, one := []string{"aa", "bb"}, []string{"c"}
	type step struct {
		write string // by the program
		rows  int    // that the terminal gets
		draw  []string
		wipe  bool
		want  string
	}
	for name, steps := range map[string][]step{
		"a prompt at the top": {
			{write: "name: ", draw: two, want: "name: _|||aa|bb"},
			{write: "x\ny", draw: two, want: "name: x|y_||aa|bb"},
			{wipe: true, want: "name: x|y_|||"},
		},
		"a prompt at the bottom": {
			{write: "1\n2\n3\n4\n50 %", draw: two, want: "3|4|50 %_|aa|bb"},
			{write: "\r60 %", draw: two, want: "3|4|60 %_|aa|bb"},
			{write: "\n6\n7", want: "60 %|6|7_|aa|bb"},
			{draw: one, want: "60 %|6|7_||c"},
			{wipe: true, want: "60 %|6|7_||"},
			{draw: two, want: "60 %|6|7_|aa|bb"},
		},
		"another size": {
			{write: "1\n2\n3\n4\n5", draw: two, want: "3|4|5_|aa|bb"},
			{rows: 7, want: "3|4|5_|aa|bb||"},
			{draw: two, want: "3|4|5_|||aa|bb"},
			{rows: 4, draw: two, want: "4|5_|aa|bb"},
			{rows: 2, draw: two, want: "5_|"},
			{rows: 5, draw: two, want: "5_|||aa|bb"},
			{rows: 1, wipe: true, want: "5_"},
		},
		"the program gives the lines back": {
			{write: "1\n2\n3", draw: two, want: "1|2|3_|aa|bb"},
			{write: "\x1b[r\x1b[5;1Hlast", draw: two, want: "3|aa|last_|aa|bb"},
			{write: "\x1b[r\x1b[5;1Hmore", wipe: true, want: "last|aa|more_||"},
		},
		"the program clears the screen": {
			{write: "1\n2\n3", draw: two, want: "1|2|3_|aa|bb"},
			{write: "\x1b[H\x1b[2Jnew", draw: two, want: "new_|||aa|bb"},
			{wipe: true, want: "new_||||"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var f Footer
			s := newTube(5)
			for i, step := range steps {
				if step.rows > 0 {
					s.resize(step.rows)
				}
				s.write(step.write)
				if step.draw != nil || step.wipe {
					s.write(f.drawn(step.draw, len(s.cells)))
				}
				if got := s.shown(); got != step.want {
					t.Errorf("%d: %q, want %q", i, got, step.want)
				}
				if f.lines == 0 && !s.whole() {
					t.Errorf("%d: the region stays", i)
				}
			}
		})
	}
}

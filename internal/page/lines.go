package page

import (
	"cmp"
	"slices"
)

// mostLines bounds the lines of source that are listed.
const mostLines = 20_000

// addLines adds the last sample's value to the lines of its stack.
func (b *builder) addLines(value int64) {
	b.samples++
	for i, f := range b.frames {
		if f.row < 0 {
			continue
		}
		if i == 0 {
			b.made.Lines[f.row][2] += value
		}
		if b.counted[f.row] != b.samples {
			b.counted[f.row] = b.samples
			b.made.Lines[f.row][3] += value
		}
	}
}

// row returns the number of a line's row; -1 for an unknown line.
func (b *builder) row(function, line int64) int {
	if line <= 0 {
		return -1
	}
	key := [2]int64{function, line}
	n, known := b.rows[key]
	if !known {
		n = len(b.made.Lines)
		b.rows[key] = n
		b.made.Lines = append(b.made.Lines, [4]int64{function, line})
		b.counted = append(b.counted, 0)
	}
	return n
}

// cutLines leaves the lines with the most.
func (b *builder) cutLines() {
	if len(b.made.Lines) <= mostLines {
		return
	}
	slices.SortStableFunc(b.made.Lines, func(x, y [4]int64) int { return cmp.Compare(absolute(y[3]), absolute(x[3])) })
	b.made.Lines = b.made.Lines[:mostLines]
}

func absolute(n int64) int64 { return max(n, -n) }

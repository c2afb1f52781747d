package page

import (
	"cmp"
	"slices"

	"github.com/google/pprof/profile"
)

// mostLines bounds the lines of source that are listed.
const mostLines = 20_000

// addLines adds a sample to the lines of its stack.
func (b *builder) addLines(s *profile.Sample) {
	b.samples++
	for i, l := range s.Location {
		for k, f := range b.linesOf(l) {
			if f.line <= 0 {
				continue
			}
			row := b.row(f)
			if i == 0 && k == 0 {
				b.made.Lines[row][2] += s.Value[b.column]
			}
			if b.counted[row] != b.samples {
				b.counted[row] = b.samples
				b.made.Lines[row][3] += s.Value[b.column]
			}
		}
	}
}

func (b *builder) row(f frame) int {
	key := [2]int64{f.function, f.line}
	n, known := b.rows[key]
	if !known {
		n = len(b.made.Lines)
		b.rows[key] = n
		b.made.Lines = append(b.made.Lines, [4]int64{f.function, f.line})
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

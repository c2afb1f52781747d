package page

import (
	"cmp"
	"slices"
	"strconv"
)

// Nodes are the rows of a tree.
type Nodes [][4]int64

// MarshalJSON writes a row as how far before it its parent is, 0 for a root, and its function; what it has itself follows if it has
// anything. So most rows are short, and much alike. It never fails.
func (n Nodes) MarshalJSON() ([]byte, error) {
	text := make([]byte, 0, 10*len(n)+2)
	text = append(text, '[')
	for i, row := range n {
		if i > 0 {
			text = append(text, ',')
		}
		back := int64(0)
		if row[0] >= 0 {
			back = int64(i) - row[0]
		}
		text = append(text, '[')
		text = strconv.AppendInt(text, back, 10)
		numbers := row[1:]
		if row[2] == 0 && row[3] == 0 {
			numbers = row[1:2]
		}
		for _, number := range numbers {
			text = append(text, ',')
			text = strconv.AppendInt(text, number, 10)
		}
		text = append(text, ']')
	}
	return append(text, ']'), nil
}

// stack is a sample's functions, the outermost function first, and what was allocated there.
type stack struct {
	functions     []int64
	self, objects int64
}

// tree returns the nodes of all stacks. Sorted stacks need no search: those that begin alike stand together, and one has new nodes
// from where it leaves the one before.
func (b *builder) tree() Nodes {
	slices.SortFunc(b.stacks, func(x, y stack) int { return slices.Compare(x.functions, y.functions) })
	nodes := make(Nodes, 0, b.nodes())
	var before []int64 // functions
	var on []int64     // nodes of theirs
	for _, p := range b.stacks {
		on = on[:common(before, p.functions)]
		for _, function := range p.functions[len(on):] {
			parent := int64(-1)
			if len(on) > 0 {
				parent = on[len(on)-1]
			}
			on = append(on, int64(len(nodes)))
			nodes = append(nodes, [4]int64{parent, function})
		}
		last := &nodes[on[len(on)-1]]
		last[2] += p.self
		last[3] += p.objects
		before = p.functions
	}
	return nodes
}

// nodes counts the nodes of the sorted stacks.
func (b *builder) nodes() (n int) {
	var before []int64
	for _, p := range b.stacks {
		n += len(p.functions) - common(before, p.functions)
		before = p.functions
	}
	return n
}

// common returns how many elements are the same from the beginning.
func common(x, y []int64) int {
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return i
		}
	}
	return min(len(x), len(y))
}

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

package dwarf

// Answer is the result for one address.
type Answer struct {
	Frames   []Frame // innermost first; none if no function covers the address
	Position         // of the address: known for some outside functions too, as in assembly code
}

// Frame is one function at an address, and the position in it that was being executed: the address's own, or that of the
// inlined call. Function is nil if the debug data does not name it.
type Frame struct {
	Function *Function
	Position
}

// Position is a position in the source. The zero value means unknown.
type Position struct {
	File         string // absolute where the compiler recorded its directory
	Line, Column int
}

// describe turns the results of the wants into answers.
func (w *walk) describe(n *names, lines *lineTable) []Answer {
	answers := make([]Answer, len(w.wants))
	for i := range w.wants {
		if w.budget.exhausted() {
			return answers
		}
		wanted := &w.wants[i]
		if wanted.hasRow {
			answers[i].Position = w.source(lines, wanted.row)
		}
		at := answers[i].Position
		w.budget.spend(len(wanted.calls) * wantSteps)
		for k := len(wanted.calls) - 1; k >= 0; k-- {
			c := &wanted.calls[k]
			frame := Frame{Position: at}
			if described := n.function(reference{w.unit, c.entry}, 0); described != nil {
				frame.Function = &described.Function
			}
			answers[i].Frames = append(answers[i].Frames, frame)
			at = w.source(lines, c.from)
		}
	}
	return answers
}

// source returns the position of a row.
func (r *reader) source(t *lineTable, from row) Position {
	return Position{File: r.path(t, from.file), Line: int(number(from.line)), Column: int(number(from.column))}
}

// adopt merges a unit's answers. If several units claim an address, the first in the file wins.
func (s *search) adopt(j job, answers []Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rank := int32(j.order) + 1
	for i, index := range j.wants {
		if len(answers[i].Frames) == 0 && answers[i].Position == (Position{}) {
			continue
		}
		if s.answers[index] == nil {
			s.answers[index] = &answers[i]
		}
		answer := s.answers[index]
		if named := &s.named[index]; len(answers[i].Frames) > 0 && (*named == 0 || rank < *named) {
			*named, answer.Frames = rank, answers[i].Frames
		}
		if placed := &s.placed[index]; answers[i].Position != (Position{}) && (*placed == 0 || rank < *placed) {
			*placed, answer.Position = rank, answers[i].Position
		}
	}
}

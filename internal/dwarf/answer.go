package dwarf

// Answer is what is known about one address.
type Answer struct {
	Frames []Frame // innermost first; none if no function covers the address
	Place          // of the address: known for some that lie in no function, such as those of assembly code
}

// Frame is one function at an address, and the place in it that was being executed: that of the address, or of the
// inlined call. Function is nil if the debug data does not say which it is.
type Frame struct {
	Function *Function
	Place
}

// Place is a place in the source. The zero value is an unknown one.
type Place struct {
	File         string // absolute where the compiler recorded its directory
	Line, Column int
}

// describe turns what was found for the wants into answers.
func (w *walk) describe(n *names, lines *lineTable) []Answer {
	answers := make([]Answer, len(w.wants))
	for i := range w.wants {
		if w.budget.exhausted() {
			return answers
		}
		wanted := &w.wants[i]
		if wanted.hasRow {
			answers[i].Place = w.source(lines, wanted.row)
		}
		at := answers[i].Place
		w.budget.spend(len(wanted.calls) * wantSteps)
		for k := len(wanted.calls) - 1; k >= 0; k-- {
			c := &wanted.calls[k]
			frame := Frame{Place: at}
			if described := n.function(reference{w.unit, c.entry}, 0); described != nil {
				frame.Function = &described.Function
			}
			answers[i].Frames = append(answers[i].Frames, frame)
			at = w.source(lines, c.from)
		}
	}
	return answers
}

// source is the place that a row means.
func (r *reader) source(t *lineTable, from row) Place {
	return Place{File: r.path(t, from.file), Line: int(number(from.line)), Column: int(number(from.column))}
}

// adopt takes over what a unit says about its wants. Where several units claim an address the first in the file counts.
func (s *search) adopt(j job, answers []Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rank := int32(j.order) + 1
	for i, index := range j.wants {
		if len(answers[i].Frames) == 0 && answers[i].Place == (Place{}) {
			continue
		}
		if s.answers[index] == nil {
			s.answers[index] = &answers[i]
		}
		answer := s.answers[index]
		if named := &s.named[index]; len(answers[i].Frames) > 0 && (*named == 0 || rank < *named) {
			*named, answer.Frames = rank, answers[i].Frames
		}
		if placed := &s.placed[index]; answers[i].Place != (Place{}) && (*placed == 0 || rank < *placed) {
			*placed, answer.Place = rank, answers[i].Place
		}
	}
}

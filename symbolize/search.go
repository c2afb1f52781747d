package symbolize

import "github.com/cgoheap/cgoheap/internal/dwarf"

// search asks the debug data about all of the wants that have no lines yet, and turns what it says into lines.
func (o *object) search(w wants, style Style) error {
	open := w.unnamed()
	addresses := make([]uint64, len(open))
	for i := range open {
		addresses[i] = open[i].address
	}
	answers, err := o.debug.Find(addresses)
	names := readNames(answers, style)
	for i := range open {
		open[i].place = answers[i].Place
		open[i].lines = o.lines(open[i].address, answers[i].Frames, names)
	}
	return err
}

// lines are the lines of the frames at an address, innermost first.
func (o *object) lines(address uint64, frames []dwarf.Frame, names names) []Line {
	if len(frames) == 0 {
		return nil
	}
	lines := make([]Line, len(frames))
	for i := range frames {
		line := Line{File: frames[i].File, Line: frames[i].Line, Column: frames[i].Column}
		if f := frames[i].Function; f != nil {
			line.StartLine = f.StartLine
			line.Function, line.SystemName = names.of(f)
			if i == len(frames)-1 && f.Scoped && f.Linkage == "" {
				o.askSymbol(&line, f, address, names.style)
			}
		}
		lines[i] = line
	}
	return lines
}

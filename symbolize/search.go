package symbolize

import (
	"slices"

	"github.com/cgoheap/cgoheap/internal/dwarf"
	"github.com/cgoheap/cgoheap/internal/scratch"
)

// search asks the debug data about all of the wants that have no lines yet, and turns what it says into lines.
func (o *object) search(w wants, style Style) error {
	addresses := scratch.Slice[uint64](&o.memory, len(w))[:0]
	defer func() { scratch.ReleaseSlice(&o.memory, addresses) }()
	for want := range w.unnamed() {
		addresses = append(addresses, want.address)
	}
	answers, err := o.debug.Find(addresses)
	names := newNames(style)
	locals := make(map[int]string)
	for i, answer := range answers {
		if answer == nil {
			continue
		}
		if local := o.needNames(names, addresses[i], answer.Frames); local != "" {
			locals[i] = local
		}
	}
	names.demangle()
	for i, answer := range answers {
		want := w.at(addresses[i])
		if want.poor = true; answer == nil {
			continue
		}
		want.place = &answer.Place
		want.lines = names.lines(answer.Frames, locals[i])
		want.poor = len(want.lines) < len(answer.Frames) || answer.Line == 0
	}
	return err
}

// needNames notes the mangled names at an address, and returns that of the symbol that covers it if the names do not say it.
func (o *object) needNames(n *names, address uint64, frames []dwarf.Frame) (local string) {
	if local = o.localSymbol(address, frames); local != "" {
		n.needLocal(local)
	}
	for _, frame := range frames {
		if frame.Function != nil {
			n.need(frame.Function.Linkage)
		}
	}
	return local
}

// lines are the lines of the frames at an address, innermost first.
func (n *names) lines(frames []dwarf.Frame, local string) []Line {
	if len(frames) == 0 {
		return nil
	}
	lines := make([]Line, len(frames))
	for i := range frames {
		line := Line{File: frames[i].File, Line: frames[i].Line, Column: frames[i].Column}
		if f := frames[i].Function; f != nil {
			line.StartLine = f.StartLine
			line.Function, line.SystemName = n.of(f)
			if i == len(frames)-1 && local != "" {
				n.takeSymbol(&line, f, local)
			}
		}
		lines[i] = line
	}
	return withoutLost(lines)
}

// withoutLost leaves out inlined calls whose names are lost, and everything if the function around them has none either:
// then its symbol names it. Names are lost with the alternate file that they were moved to.
func withoutLost(lines []Line) []Line {
	if len(lines) == 0 || lines[len(lines)-1].Function == "" {
		return nil
	}
	return slices.DeleteFunc(lines, func(l Line) bool { return l.Function == "" })
}

package symbolize

import (
	"slices"

	"github.com/cgoheap/cgoheap/internal/dwarf"
	"github.com/cgoheap/cgoheap/internal/scratch"
)

// search looks all wants without lines up in the debug data, and sets their lines.
func (o *object) search(w wants, style Style) error {
	addresses := scratch.Slice[uint64](&o.memory, len(w))[:0]
	defer func() { scratch.ReleaseSlice(&o.memory, addresses) }()
	for want := range w.unnamed() {
		addresses = append(addresses, want.address)
	}
	answers, err := o.debug.Find(addresses)
	o.closeDebug() // before symbols are read, and names made readable
	names := newNames(style, o.store)
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
		want.position = &answer.Position
		want.lines = names.lines(answer.Frames, locals[i])
		want.poor = len(want.lines) < len(answer.Frames) || answer.Line == 0
	}
	return err
}

// needNames adds the mangled names at an address, and returns the mangled name of the symbol that covers it if the debug
// data has none.
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

// lines returns the lines of the frames at an address, innermost first.
func (n *names) lines(frames []dwarf.Frame, local string) []Line {
	n.frames = slices.Grow(n.frames[:0], len(frames))
	lines := n.frames[:len(frames)]
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
	return n.keep(withoutLost(lines))
}

// withoutLost removes inlined calls whose names are lost, and all lines if the function around them has no name either: then
// its symbol names it. Names are lost if the alternate file that they were moved to is missing.
func withoutLost(lines []Line) []Line {
	if len(lines) == 0 || lines[len(lines)-1].Function == "" {
		return nil
	}
	return slices.DeleteFunc(lines, func(l Line) bool { return l.Function == "" })
}

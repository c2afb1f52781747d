package symbolize

import (
	"iter"
	"slices"
	"sort"

	"github.com/cgoheap/cgoheap/internal/dwarf"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/mappings"
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

// span is a half-open range of ELF addresses.
type span struct{ low, high uint64 }

// spans are ascending and do not overlap.
type spans []span

// at returns the span that contains the address; an empty one if there is none.
func (s spans) at(address uint64) span {
	i := sort.Search(len(s), func(i int) bool { return s[i].high > address })
	if i < len(s) && s[i].low <= address {
		return s[i]
	}
	return span{}
}

func (s spans) contain(address uint64) bool {
	return s.at(address) != span{}
}

// cut divides the span that has the address inside.
func (s spans) cut(address uint64) spans {
	for i := range s {
		if s[i].low < address && address < s[i].high {
			s = append(s, span{address, s[i].high})
			s[i].high = address
			break
		}
	}
	return s
}

// want is one address that a batch asks about, and what has been found for it.
type want struct {
	address  uint64
	position *dwarf.Position // of the address itself, in case there is no function around it; nil or zero: not known
	lines    []Line
	start    uint64 // of the function around an address that no symbol with a size covers; 0: not known
	poor     bool   // the lines are a symbol's, or lack inlined calls or a source position
	reason   Reason
	lack     Reason
}

// wants are ascending by address, without duplicates.
type wants []want

func newWants(addresses []uint64) wants {
	slices.Sort(addresses)
	addresses = slices.Compact(addresses)
	w := make(wants, len(addresses))
	for i, address := range addresses {
		w[i].address = address
	}
	return w
}

// inside returns the wants from one address up to another.
func (w wants) inside(low, high uint64) wants {
	from := func(address uint64) int {
		return sort.Search(len(w), func(i int) bool { return w[i].address >= address })
	}
	first := from(low)
	return w[first:max(first, from(high))]
}

// give sets the reason of all.
func (w wants) give(reason Reason) {
	for i := range w {
		w[i].reason = reason
	}
}

// at returns the want of an address; nil if it is not among them.
func (w wants) at(address uint64) *want {
	i := sort.Search(len(w), func(i int) bool { return w[i].address >= address })
	if i == len(w) || w[i].address != address {
		return nil
	}
	return &w[i]
}

func (w *want) result() Result {
	r := Result{Lines: w.lines, Reason: w.reason, Lack: w.lack}
	if w.lines == nil {
		r.Start = mappings.ELFAddr(w.start)
	}
	return r
}

// unnamed yields the wants without lines.
func (w wants) unnamed() iter.Seq[*want] {
	return func(yield func(*want) bool) {
		for i := range w {
			if w[i].lines == nil && !yield(&w[i]) {
				return
			}
		}
	}
}

// named reports whether all have lines.
func (w wants) named() bool {
	for range w.unnamed() {
		return false
	}
	return true
}

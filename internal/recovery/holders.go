package recovery

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cgoheap/cgoheap/internal/flight"
	"github.com/cgoheap/cgoheap/internal/guilty"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

// holders adds up what is in use by who allocated it.
type holders struct {
	all     int64
	unnamed int64 // in stacks of which no function has a source
	bytes   map[holder]int64
}

// holder is the function of a library that Go code called, and the Go function, as package guilty has them.
type holder struct{ function, caller string }

// add adds a stack, the innermost function first.
func (h *holders) add(lines []symbolize.Line, s *stack.Sample) {
	if s.InuseBytes <= 0 {
		return
	}
	if len(lines) == 0 {
		lines = []symbolize.Line{{Function: "code that no stack shows"}}
	}
	if h.bytes == nil {
		h.bytes = make(map[holder]int64)
	}
	h.all += s.InuseBytes
	if !slices.ContainsFunc(lines, func(l symbolize.Line) bool { return l.File != "" }) {
		h.unnamed += s.InuseBytes
	}
	h.bytes[holderOf(lines)] += s.InuseBytes
}

// HolderOf names who holds the blocks of a stack, the innermost function first: the function of a library that Go code called, and the
// Go function; caller is "" where there is none. There must be a line.
func HolderOf(lines []symbolize.Line) (function, caller string) {
	who := holderOf(lines)
	return who.function, who.caller
}

func holderOf(lines []symbolize.Line) holder {
	who := guilty.Of(lines, LineOf)
	h := holder{function: lines[who.Entry].Function}
	if who.Caller >= 0 && lines[who.Caller].Function != h.function {
		h.caller = lines[who.Caller].Function
	}
	return h
}

// LineOf returns what is known of a line.
func LineOf(l *symbolize.Line) guilty.Line { return guilty.Line{Function: l.Function, File: l.File} }

// most is how many holders a sentence names.
const most = 3

// sentence names those who hold the most. What was resident is flight.Unknown if nobody noted it.
func (h *holders) sentence(resident int64) string {
	if h.all == 0 {
		return "nothing was in use"
	}
	list := make([]holder, 0, len(h.bytes))
	for who := range h.bytes {
		list = append(list, who)
	}
	slices.SortFunc(list, func(a, b holder) int {
		return cmp.Or(cmp.Compare(h.bytes[b], h.bytes[a]), cmp.Compare(a.function, b.function), cmp.Compare(a.caller, b.caller))
	})
	var parts []string
	for _, who := range list[:min(most, len(list))] {
		part := fmt.Sprintf("%s (%.0f %%) are held by %s", report.Bytes(h.bytes[who]), 100*float64(h.bytes[who])/float64(h.all), who.function)
		if who.caller != "" {
			part += ", called from " + who.caller
		}
		parts = append(parts, part)
	}
	all := report.Bytes(h.all) + " in the profile"
	if resident != flight.Unknown && h.all > resident {
		all += ", resident or not"
	}
	text := fmt.Sprintf("of %s, %s", all, strings.Join(parts, "; "))
	if h.unnamed > h.all/2 {
		text += "; most functions have no names here: the code was made at run time, or its files are gone, were replaced, or have no build ID or no symbols; the profile's comments say which"
	}
	return text
}

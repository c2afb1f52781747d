package recovery

import (
	"cmp"
	"fmt"
	"maps"
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
	callers map[holder]map[string]int64 // bytes by the Go functions further out, a line each, the nearest first
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
		h.bytes, h.callers = make(map[holder]int64), make(map[holder]map[string]int64)
	}
	h.all += s.InuseBytes
	if !slices.ContainsFunc(lines, func(l symbolize.Line) bool { return l.File != "" }) {
		h.unnamed += s.InuseBytes
	}
	who, outward := holderOf(lines)
	h.bytes[who] += s.InuseBytes
	if h.callers[who] == nil {
		h.callers[who] = make(map[string]int64)
	}
	h.callers[who][strings.Join(outward, "\n")] += s.InuseBytes
}

// HolderOf names who holds the blocks of a stack, the innermost function first: the function of a library that Go code called, and the
// Go function; caller is "" where there is none. There must be a line.
func HolderOf(lines []symbolize.Line) (function, caller string) {
	who, _ := holderOf(lines)
	return who.function, who.caller
}

// holderOf also returns the Go functions further out, the nearest first.
func holderOf(lines []symbolize.Line) (h holder, outward []string) {
	who := guilty.Of(lines, LineOf)
	h = holder{function: lines[who.Entry].Function}
	if who.Caller >= 0 && lines[who.Caller].Function != h.function {
		h.caller = lines[who.Caller].Function
	}
	for _, i := range guilty.Outward(lines, who, LineOf) {
		outward = append(outward, lines[i].Function)
	}
	return h, outward
}

// LineOf returns what is known of a line.
func LineOf(l *symbolize.Line) guilty.Line { return guilty.Line{Function: l.Function, File: l.File} }

// split says for whom a holder of most holds how much: the nearest functions further out that differ.
func (h *holders) split(who holder) string {
	for at := 0; ; at++ {
		bytes := make(map[string]int64)
		for chain, n := range h.callers[who] {
			if functions := strings.Split(chain, "\n"); at < len(functions) && chain != "" {
				bytes[functions[at]] += n
			}
		}
		if len(bytes) == 0 {
			return ""
		}
		names := slices.SortedFunc(maps.Keys(bytes), func(a, b string) int { return cmp.Or(cmp.Compare(bytes[b], bytes[a]), cmp.Compare(a, b)) })
		if len(names) == 1 && bytes[names[0]] == h.bytes[who] {
			continue
		}
		var parts []string
		for _, name := range names[:min(most, len(names))] {
			parts = append(parts, fmt.Sprintf("%s (%s)", name, report.Bytes(bytes[name])))
		}
		return ", for " + strings.Join(parts, ", ")
	}
}

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
		if h.bytes[who] > h.all/2 {
			part += h.split(who)
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

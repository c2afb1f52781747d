package recovery

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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

// holder is the function of a library that Go code called, and the innermost function of package main, or else the Go function
// that called it. Where there is no call from Go, it is the innermost function.
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
// innermost function of package main, or else the Go function that called it. Without a call from Go, it is the innermost function, and
// caller is "". There must be a line.
func HolderOf(lines []symbolize.Line) (function, caller string) {
	who := holderOf(lines)
	return who.function, who.caller
}

func holderOf(lines []symbolize.Line) holder {
	first := slices.IndexFunc(lines, isGo)
	if first < 0 {
		return holder{function: lines[0].Function}
	}
	inner := lines[0]
	for _, l := range lines[:first] {
		if !isGlue(l) {
			inner = l
		}
	}
	who := holder{function: inner.Function, caller: lines[first].Function}
	if at := slices.IndexFunc(lines[first:], func(l symbolize.Line) bool { return isGo(l) && strings.HasPrefix(l.Function, "main.") }); at >= 0 {
		who.caller = lines[first+at].Function
	}
	if who.caller == who.function {
		who.caller = ""
	}
	return who
}

// isGo reports whether a line is of Go code that people wrote. C code in the comment of a Go file has no package in its name.
func isGo(l symbolize.Line) bool {
	return strings.HasSuffix(l.File, ".go") && strings.Contains(l.Function, ".") && !isGlue(l) && !strings.HasPrefix(l.Function, "runtime.")
}

// isGlue reports whether a line is of the code that cgo makes for each function of C.
func isGlue(l symbolize.Line) bool {
	return strings.HasSuffix(l.File, "_cgo_gotypes.go") || strings.HasPrefix(l.Function, "C.") || strings.HasPrefix(l.Function, "_cgo_") ||
		strings.Contains(l.Function, "._Cfunc_")
}

// most is how many holders a sentence names.
const most = 3

func (h *holders) sentence() string {
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
	text := fmt.Sprintf("of %s in the profile, %s", report.Bytes(h.all), strings.Join(parts, "; "))
	if h.unnamed > h.all/2 {
		text += "; most functions have no names here: their files are gone, were replaced, or have no symbols, as the profile's comments say"
	}
	return text
}

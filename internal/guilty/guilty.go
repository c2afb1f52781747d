package guilty

import (
	"slices"
	"strings"

	"github.com/cgoheap/cgoheap/internal/page"
)

// Line is a function of a stack, and its file; "" if that is unknown.
type Line struct{ Function, File string }

// Who are functions of a stack, by their numbers.
type Who struct {
	Inner  int // the innermost of C, and the like, that allocates for itself
	Entry  int // the one that Go called; Inner if Go called none
	Caller int // the Go function, of the program's own if there is one; -1 if there is none
}

// Of returns the functions to name of a stack, which begins with the innermost function and is not empty. known describes a function.
func Of[L any](stack []L, known func(*L) Line) Who {
	lines := make([]Line, len(stack))
	for i := range stack {
		lines[i] = known(&stack[i])
	}
	return of(lines)
}

func of(lines []Line) Who {
	first := slices.IndexFunc(lines, isGo)
	if first < 0 {
		inner := max(0, Innermost(lines))
		return Who{inner, inner, -1}
	}
	who := Who{Caller: first + caller(lines[first:])}
	for i := first - 1; i >= 0; i-- {
		if !isGlue(lines[i]) {
			who.Entry = i
			break
		}
	}
	if who.Inner = Innermost(lines[:first]); who.Inner < 0 {
		who.Inner = who.Entry
	}
	return who
}

// Innermost returns the innermost function that allocates for itself; -1 if there is none.
func Innermost(lines []Line) int {
	return slices.IndexFunc(lines, func(l Line) bool { return l.Function != "" && !isGlue(l) && !tellsNothing(l.Function) })
}

// caller returns the innermost function of package main, or else of a module that is no dependency, or else of Go.
func caller(lines []Line) int {
	for _, own := range []func(Line) bool{isMain, isOwn} {
		if i := slices.IndexFunc(lines, func(l Line) bool { return isGo(l) && own(l) }); i >= 0 {
			return i
		}
	}
	return 0
}

func isMain(l Line) bool { return strings.HasPrefix(l.Function, "main.") }

// isOwn knows modules by the host in their path, and dependencies by the version in that of their files.
func isOwn(l Line) bool {
	host, _, inModule := strings.Cut(l.Function, "/")
	return inModule && strings.Contains(host, ".") && !strings.ContainsAny(host, "(") && !strings.Contains(l.File, "@v") && !strings.Contains(l.File, "/vendor/")
}

// isGo reports whether a line is of Go code that people wrote.
func isGo(l Line) bool {
	return page.IsGo(l.File, l.Function) && !isGlue(l) && !strings.HasPrefix(l.Function, "runtime.")
}

// isGlue reports whether a line is of the code that cgo makes for each function of C.
func isGlue(l Line) bool {
	return strings.HasSuffix(l.File, "_cgo_gotypes.go") || strings.HasPrefix(l.Function, "C.") || strings.HasPrefix(l.Function, "_cgo_") ||
		strings.Contains(l.Function, "._Cfunc_")
}

// Outward returns the numbers of the Go functions that called the stack's Caller, the nearest first: of the program's own, or of whatever
// kind Caller is. They tell stacks apart of which one function calls all, as where an interpreter is called.
func Outward[L any](stack []L, who Who, known func(*L) Line) (numbers []int) {
	if who.Caller < 0 {
		return nil
	}
	is := isGo
	first := known(&stack[who.Caller])
	for _, own := range []func(Line) bool{isMain, isOwn} {
		if own(first) {
			is = own
			break
		}
	}
	for i := who.Caller + 1; i < len(stack); i++ {
		if l := known(&stack[i]); isGo(l) && is(l) {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

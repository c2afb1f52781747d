package guilty

import (
	"fmt"
	"path/filepath"
	"slices"
)

// Place is a line with its number in the file; 0 if that is unknown.
type Place struct {
	Line
	Number int
}

// bare leaves the function only.
func (p Place) bare() Place { return Place{Line: Line{Function: p.Function}} }

// nearest is how many functions are named for being near. Others are far out in a library that calls itself again and again, as interpreters do.
const nearest = 2

// parts are the functions of a stack, as they are called: further out than the one that its name begins with, and those further in, the nearest first.
type parts struct {
	outer, inner []Place
	has          map[Place]bool // of both; without file and line, too
}

func partsOf(lines []Place, inner int) parts {
	p := parts{has: make(map[Place]bool)}
	for i := range lines {
		l := lines[i].bare()
		if lines[i].File != "" {
			l.File, l.Number = filepath.Base(lines[i].File), lines[i].Number
		}
		switch {
		case i < inner:
			p.inner = append(p.inner, l)
		case i > inner:
			p.outer = append(p.outer, l)
		}
	}
	slices.Reverse(p.inner)
	for _, l := range slices.Concat(p.outer, p.inner) {
		p.has[l], p.has[l.bare()] = true, true
	}
	return p
}

// Apart returns for each of some stacks that have the same name the functions that it has and others lack. inner is as in Who.
func Apart(stacks [][]Place, inner func(stack int) int) []string {
	of, all := make([]parts, len(stacks)), make([]int, len(stacks))
	for i := range stacks {
		of[i], all[i] = partsOf(stacks[i], inner(i)), i
	}
	by := make([]string, len(stacks))
	for i := range stacks {
		by[i] = differing(of[i], all, of)
	}
	return by
}

// differing returns the functions by which a stack of a group differs from the others: the nearest ones further out, then those that tell it
// from most, and then wrappers further in. Where it only has them in another order, it says where the first such one is.
func differing(mine parts, group []int, of []parts) (by string) {
	for named := 0; ; named++ {
		text, rest := rarest(mine.outer, group, of, named < nearest)
		if text == "" {
			break
		}
		by, group = by+[]string{" for ", ", "}[min(named, 1)]+text, rest
	}
	if text, rest := rarest(mine.inner, group, of, true); text != "" {
		by, group = by+" through "+text, rest
	}
	for at := 0; at < len(mine.outer) && len(group) > 1; at++ {
		rest := having(group, func(j int) bool { return at < len(of[j].outer) && of[j].outer[at] == mine.outer[at] })
		if len(rest) < len(group) {
			by, group = by+fmt.Sprintf(" with %s %d %s further out", called(mine.outer[at], true), at+1, []string{"call", "calls"}[min(at, 1)]), rest
		}
	}
	return by
}

// rarest returns the function of some that the fewest of a group have, or the first that not all have, and who has it; "" if all have all.
func rarest(functions []Place, group []int, of []parts, first bool) (text string, rest []int) {
	rest = group
	for _, l := range functions {
		named := having(group, func(j int) bool { return of[j].has[l.bare()] })
		exact := having(named, func(j int) bool { return of[j].has[l] })
		if len(exact) < len(rest) {
			text, rest = called(l, len(exact) < len(named)), exact
			if first {
				break
			}
		}
	}
	return text, rest
}

func called(l Place, place bool) string {
	text := "`" + l.Function + "`"
	if place && l.File != "" {
		text += fmt.Sprintf(" (%s:%d)", l.File, l.Number)
	}
	return text
}

func having(group []int, has func(stack int) bool) (rest []int) {
	for _, j := range group {
		if has(j) {
			rest = append(rest, j)
		}
	}
	return rest
}

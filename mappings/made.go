package mappings

import "github.com/cgoheap/cgoheap/stack"

// madePath stands for a file where there is none: code that was made at run time.
const madePath = "[code made at run time]"

// mostMade bounds the ranges of code made at run time. Runtimes that make code keep it together.
const mostMade = 4096

// Made returns the module of code that was made at run time: all executable memory without a file. Its bias is 0: its ELF
// addresses are runtime addresses.
func Made(id stack.ModuleID, ranges []Range) *Module {
	return &Module{ID: id, Path: madePath, Ranges: ranges}
}

// IsMade reports whether this is the module of code made at run time.
func (m *Module) IsMade() bool { return m != nil && m.Path == madePath }

// codeWithoutFile returns the ranges of code that was made at run time, ascending. Text that a program has moved onto huge pages
// is not among them: it has been returned to its file.
func codeWithoutFile(mappings []mapping) []Range {
	all := Module{}
	for i := range mappings {
		if m := &mappings[i]; m.anonymousCode() && len(all.Ranges) < mostMade {
			all.extend(Range{m.Start, m.Limit})
		}
	}
	return all.Ranges
}

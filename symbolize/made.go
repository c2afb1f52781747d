package symbolize

import (
	"cmp"
	"slices"

	"github.com/cgoheap/cgoheap/mappings"
)

// Code that a program makes while it runs has no file with names. But some runtimes write a list of what they make, for Linux'
// perf: V8, JavaScriptCore, the JVM, .NET and others if they are told to, LuaJIT with a patch. It is read anew for each
// profile that has such code, as the list grows, and what stands at an address changes.

// perfMap finds names in this process's list. Tests put another list in its place.
var perfMap = ownPerfMap

// nameMade names addresses of code that was made at run time, or that lies in a file which is no program: some runtimes map
// their code from a memory file or a deleted one.
func (s *Symbolizer) nameMade(m *mappings.Module, addresses []mappings.ELFAddr, results []Result) {
	var open []madeWant
	for i, r := range results {
		if r.Lines == nil && (r.Reason == MadeAtRunTime || r.Reason == NotELF || r.Reason == FileGone && m.BuildID == "") {
			open = append(open, madeWant{address: uint64(addresses[i]) + m.Bias, result: &results[i]})
		}
	}
	if len(open) == 0 {
		return
	}
	slices.SortFunc(open, func(a, b madeWant) int { return cmp.Compare(a.address, b.address) })
	perfMap(open)
	for _, want := range open {
		if name := string(want.name); name != "" {
			*want.result = Result{Lines: []Line{{Function: s.options.Style.readable(name), SystemName: name}}}
		}
	}
}

// madeWant is an address in memory that a list may name.
type madeWant struct {
	address uint64
	name    []byte
	result  *Result
}

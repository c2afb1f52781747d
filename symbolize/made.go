package symbolize

import (
	"cmp"
	"slices"

	"github.com/cgoheap/cgoheap/mappings"
)

// Code that a program makes while it runs has no file with names. But some runtimes keep a list of it in memory, for GDB
// (jitlist.go): LuaJIT, LLVM, wasmtime and others, if they are built or told to. Some write a list to a file, for Linux'
// perf: V8, JavaScriptCore, the JVM, .NET and others if they are told to, LuaJIT with a patch. Both are read anew for each
// profile that has such code, as the lists grow, and what stands at an address changes. The list in memory wins: code that
// is gone leaves it, but stays in the file.

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
	if m.IsMade() {
		s.seen.judge(open, s.nameByJITLists(open))
		open = s.takeMade(open)
	}
	if len(open) > 0 {
		perfMap(open)
		s.takeMade(open)
	}
}

// takeMade takes the names that a list had, and returns the wants for which others are to be asked.
func (s *Symbolizer) takeMade(wants []madeWant) (open []madeWant) {
	for _, want := range wants {
		switch name := string(want.name); {
		case name != "":
			*want.result = Result{Lines: []Line{{Function: s.options.Style.readable(name), SystemName: name}}}
		case want.replaced:
			want.result.Reason = MadeAgain
		default:
			open = append(open, want)
		}
	}
	return open
}

// madeWant is an address in memory that a list may name.
type madeWant struct {
	address  uint64
	name     []byte
	replaced bool // the code at the address was not always the same
	result   *Result
}

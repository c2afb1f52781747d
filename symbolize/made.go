package symbolize

import (
	"cmp"
	"slices"

	"github.com/cgoheap/cgoheap/mappings"
)

// Code that a program makes while it runs has no file with names. But some runtimes keep a list of it in memory, for GDB
// (jitlist.go): LuaJIT, LLVM, wasmtime and others, if built or configured so. Some write a list to a file, for Linux' perf:
// V8, JavaScriptCore, the JVM, .NET and others if configured so, LuaJIT with a patch. Both are read again for each profile
// that has such code, because the lists grow and the code at an address changes. The list in memory wins: freed code is
// removed from it, but stays in the file.

// perfMap finds names in this process's list. Tests replace it by another list.
var perfMap = ownPerfMap

// nameMade names addresses of code that was made at run time, or that lies in a file other than a program: some runtimes map
// their code from a memory file or a deleted one. The lists of another process are not read.
func (s *Symbolizer) nameMade(m *mappings.Module, addresses []mappings.ELFAddr, results []Result) {
	var open []madeWant
	for i, r := range results {
		if r.Lines == nil && (r.Reason == madeAtRunTime || r.Reason == NotELF || r.Reason == FileGone && m.BuildID == "") {
			open = append(open, madeWant{address: uint64(addresses[i]) + m.Bias, result: &results[i]})
		}
	}
	if len(open) == 0 || m.Foreign() {
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

// takeMade stores the names that a list had, and returns the wants that are still without a name.
func (s *Symbolizer) takeMade(wants []madeWant) (open []madeWant) {
	for _, want := range wants {
		switch name := string(want.name); {
		case name != "":
			*want.result = Result{Lines: []Line{{Function: s.options.Style.readable(name), SystemName: name}}}
		case want.replaced:
			want.result.Reason = madeAgain
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

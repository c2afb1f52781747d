package symbolize

import (
	"slices"

	"github.com/cgoheap/cgoheap/internal/elffile"
	"github.com/cgoheap/cgoheap/internal/pclntab"
)

// nameGo sets the lines of the wants that lie in Go code of a file, from the table that every Go program and library has,
// stripped or not. It comes before DWARF, which has no more about Go code and may be missing. So Go functions have the same
// names in every file as in this process. A damaged table counts as none.
func nameGo(f *elffile.File, w wants, style Style) {
	found, err := pclntab.Find(f)
	if err != nil || !slices.ContainsFunc(w, func(w want) bool { return found.Covers(w.address) }) {
		return
	}
	table, err := found.Read()
	if err != nil {
		return
	}
	for i := range w {
		for _, frame := range table.Frames(w[i].address) {
			w[i].lines = append(w[i].lines, Line{
				Function:   style.goName(frame.Symbol, frame.Function),
				SystemName: frame.Symbol,
				File:       frame.File,
				Line:       frame.Line,
				StartLine:  frame.StartLine,
			})
		}
	}
}

package symbolize

import (
	"slices"

	"github.com/cgoheap/cgoheap/internal/elffile"
	"github.com/cgoheap/cgoheap/internal/pclntab"
)

// nameGo gives lines to those of the wants that lie in Go code of a file, by the table that every Go program and library
// carries, stripped or not. It comes before DWARF, which knows no more about Go code and is not always there: so Go
// functions are called the same in every file, as the runtime calls those of its own. A table that is damaged is as good
// as none.
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

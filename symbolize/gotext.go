package symbolize

import (
	"runtime"
	"slices"
	_ "unsafe" // for go:linkname

	"github.com/cgoheap/cgoheap/internal/elffile"
	"github.com/cgoheap/cgoheap/internal/pclntab"
	"github.com/cgoheap/cgoheap/mappings"
)

// The functions that runtime/pprof uses for the same purpose. The runtime promises their names and signatures to everyone
// who links to them (go.dev/issue/67401).

//go:linkname expandFinalInlineFrame runtime/pprof.runtime_expandFinalInlineFrame
func expandFinalInlineFrame(stack []uintptr) []uintptr

//go:linkname frameStartLine runtime/pprof.runtime_FrameStartLine
func frameStartLine(frame *runtime.Frame) int

//go:linkname frameSymbolName runtime/pprof.runtime_FrameSymbolName
func frameSymbolName(frame *runtime.Frame) string

// GoLines names an address in the Go code of the running process, inlined callers included, innermost first. As in
// Resolve the address lies inside the call instruction. It returns nil if there is no Go code at the address. It reads
// the tables that the runtime itself uses, so it works in stripped binaries too. Frames such as runtime.goexit come back
// like any other. Generic functions have their type arguments, as in runtime/pprof.
func GoLines(address mappings.RuntimeAddr) []Line { return Templates.goLines(address) }

func (s Style) goLines(address mappings.RuntimeAddr) []Line {
	if runtime.FuncForPC(uintptr(address)) == nil {
		return nil
	}
	frames := runtime.CallersFrames(expandFinalInlineFrame([]uintptr{uintptr(address) + 1}))
	var lines []Line
	for {
		frame, more := frames.Next()
		if frame.Function != "" {
			lines = append(lines, s.goLine(&frame))
		}
		if !more {
			return lines
		}
	}
}

func (s Style) goLine(frame *runtime.Frame) Line {
	symbol := frameSymbolName(frame)
	line := Line{
		Function:   s.goName(symbol, frame.Function),
		SystemName: symbol,
		File:       frame.File,
		Line:       frame.Line,
		StartLine:  frameStartLine(frame),
	}
	if line.File == "?" { // the runtime's word for none
		line.File = ""
	}
	return line
}

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

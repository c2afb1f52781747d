package symbolize

import (
	"slices"
	"strings"
)

// A stack that crosses between Go and C goes through functions of cgo on both sides. Of the frames
//
//	app.handler ─► app._Cfunc_draw ─► runtime.cgocall ─► runtime.asmcgocall ─► _cgo_6f3e_Cfunc_draw ─► draw
//
// the program's source has three, app.handler ─► C.draw ─► draw: so the Go stub is called C.draw, and the others are
// hidden. The way back, from C to an exported Go function, has only hidden frames between the two:
//
//	draw ─► each ─► crosscall2 ─► runtime.cgocallback ─► runtime.cgocallbackg ─► … ─► _cgoexp_6f3e_each ─► app.each
//
// A hidden frame only calls the next one: leaving it out gives no frame a wrong caller.
//
// At the other end of a stack is the call that allocates. Every stack ends in malloc or operator new, which would hide the
// callers in a list of functions. So the allocator's entries are hidden at the leaf, as Go's own heap profile leaves out
// runtime.mallocgc.

// Tidied has the frames of a location that a profile shows.
type Tidied struct {
	Lines   []Line // without hidden ones that were inlined
	Entries int    // how many of the innermost Lines are entries of an allocator, to be hidden at the leaf
	Hidden  bool   // nothing to show: all lies between Go and C, or below a goroutine's entry
}

// Tidy returns the frames of a location to show, if other frames of the stack are shown. cgo's stubs are named as in the
// source; their SystemName stays. With Options.HiddenFrames it hides only runtime.goexit.
func (s *Symbolizer) Tidy(lines []Line) Tidied {
	if len(lines) == 1 && lines[0].Function == "runtime.goexit" {
		return Tidied{Lines: lines, Hidden: true} // Go's own profiles leave it out too
	}
	if s.options.HiddenFrames || len(lines) == 0 {
		return Tidied{Lines: lines}
	}
	if !needsTidying(lines) {
		return Tidied{Lines: lines}
	}
	t := Tidied{Lines: make([]Line, 0, len(lines))}
	for _, line := range lines {
		if isHidden(line.SystemName) {
			continue
		}
		if name := stubbed(line.SystemName); name != "" {
			line.Function = "C." + name
		}
		if t.Entries == len(t.Lines) && isEntry(line.SystemName) {
			t.Entries++
		}
		t.Lines = append(t.Lines, line)
	}
	if len(t.Lines) == 0 {
		return Tidied{Lines: lines, Hidden: true}
	}
	return t
}

// needsTidying reports whether any of the lines is hidden or changed, which is rare.
func needsTidying(lines []Line) bool {
	return slices.ContainsFunc(lines, func(l Line) bool {
		return isHidden(l.SystemName) || stubbed(l.SystemName) != "" || isEntry(l.SystemName)
	})
}

// hidden are the functions of the runtime and of runtime/cgo through which C is called and calls back.
var hidden = map[string]bool{
	"runtime.cgocall": true, "runtime.asmcgocall": true, "runtime.asmcgocall_no_g": true,
	"runtime.asmcgocall_landingpad": true, "crosscall2": true, "runtime.cgocallback": true,
	"runtime.cgocallbackg": true, "runtime.cgocallbackg1": true,
}

// isHidden also knows what cgo generates: _cgo_<hash>_Cfunc_draw in C, which calls draw; _cgoexp_<hash>_each in Go, which
// calls the exported function; and app._cgo_cmalloc, through which the stubs of C.malloc and C.CString ask for memory.
func isHidden(name string) bool {
	if hidden[strings.TrimSuffix(name, ".abi0")] || strings.HasPrefix(name, "_cgoexp_") || strings.HasSuffix(name, "._cgo_cmalloc") {
		return true
	}
	rest, ok := strings.CutPrefix(name, "_cgo_")
	_, kind, _ := strings.Cut(rest, "_")
	return ok && (strings.HasPrefix(kind, "Cfunc_") || strings.HasPrefix(kind, "C2func_"))
}

// stubbed returns the C function for which a Go function is cgo's stub: app._Cfunc_draw, or app._C2func_draw if errno is
// returned too; "" if it is not a stub. Dots in the last part of a package's path are written %2e.
func stubbed(name string) string {
	if strings.Contains(name, "[") { // type arguments, with packages of their own
		return ""
	}
	name = name[strings.LastIndexByte(name, '/')+1:]
	_, name, _ = strings.Cut(name, ".")
	if name == "_Cfunc__CMalloc" {
		return "malloc"
	}
	for _, prefix := range []string{"_Cfunc_", "_C2func_"} {
		if c, ok := strings.CutPrefix(name, prefix); ok && !strings.Contains(c, ".") {
			return c
		}
	}
	return ""
}

// rust are the functions in which Rust programs ask for memory. C programs use the functions of family, which are also what
// our own hooks are called: a build that keeps a frame for each call (-fno-optimize-sibling-calls) has one of them in every
// stack, and optimization when linking puts them into their callers.
var rust = map[string]bool{
	"__rust_alloc": true, "__rust_alloc_zeroed": true, "__rust_realloc": true,
	"__rdl_alloc": true, "__rdl_alloc_zeroed": true, "__rdl_realloc": true,
}

// reports are the functions by which a program reports the blocks of a pool: the caller is the pool's function.
var reports = map[string]bool{"cgoheap_allocated": true, "cgoheap_record_allocated": true}

// isEntry also knows operator new and new[], with their alignments and nothrow: _Znw…, _Zna…; and the parts into which
// compilers split functions: malloc.cold.
func isEntry(name string) bool {
	name, _, _ = strings.Cut(name, ".")
	return family[name] || rust[name] || reports[name] || strings.HasPrefix(name, "_Znw") || strings.HasPrefix(name, "_Zna")
}

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "rows.h"
import "C"

import (
	"runtime"
	"sort"
	"strings"
)

// A plugin has copies of all functions of the runtime that it uses, so that its calls to C go through an asmcgocall of its
// own. It shares the runtime's data with the program, whose runtime knows the plugin's functions as soon as the loader has
// run the plugin's constructors. Its code is the same as the program's: a plugin is only accepted from the same toolchain.

// GoCode is the Go code of a module, with its copies of the functions that a walk must know.
type GoCode = C.struct_go_code

const probeStep = 1 << 14 // far less than the runtime's code, which every plugin has

// FindGoCode looks in a module's executable range, not the program's own, for Go code that the running Go runtime knows. It
// returns false if there is none, or none that calls C in a known way.
func FindGoCode(start, limit uint64, module uint16) (GoCode, bool) {
	for pc := start; pc < limit; pc += probeStep {
		if runtime.FuncForPC(uintptr(pc)) != nil {
			code := GoCode{text: goCodeAround(uintptr(pc), start, limit), module: C.uint64_t(module)}
			findCopies(&code)
			return code, code.asmcgocall.hi != 0
		}
	}
	return GoCode{}, false
}

// findCopies searches for the functions in the order of their addresses: the linker puts the runtime before the packages
// that need it.
func findCopies(code *GoCode) {
	wanted := map[string]*C.struct_code{
		"runtime.asmcgocall": &code.asmcgocall,
		"runtime.mstart":     &code.mstart,
		"crosscall2":         &code.crosscall2,
	}
	for pc := uintptr(code.text.lo); pc < uintptr(code.text.hi) && len(wanted) > 0; {
		f, end := runtime.FuncForPC(pc), functionEnd(pc)
		if found := wanted[f.Name()]; found != nil && f.Entry() == pc && isAssembly(f) {
			*found = C.struct_code{lo: C.uint64_t(pc), hi: C.uint64_t(end)}
			delete(wanted, f.Name())
		}
		pc = end
	}
}

// functionEnd returns the end of the Go function that begins at entry, or an address after entry if none does.
func functionEnd(entry uintptr) uintptr {
	in := func(n int) bool {
		f := runtime.FuncForPC(entry + uintptr(n))
		return f != nil && f.Entry() == entry
	}
	outside := 16
	for in(outside) {
		outside *= 2
	}
	if !in(0) {
		return entry + 16
	}
	return entry + uintptr(sort.Search(outside, func(n int) bool { return !in(n) }))
}

// isAssembly distinguishes a function in assembly from its wrapper of the same name, through which Go calls it.
func isAssembly(f *runtime.Func) bool {
	file, _ := f.FileLine(f.Entry())
	return strings.HasSuffix(file, ".s")
}

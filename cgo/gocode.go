//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

import (
	"math"
	"reflect"
	"runtime"
	"sort"
	"strings"
)

// textRange returns the range of the program's Go code. A plugin that contains this code too runs its own copy of it, but a
// function's value is the program's. Only asking function by function works in stripped binaries too.
func textRange() codeRange {
	pc := reflect.ValueOf(textRange).Pointer()
	for _, s := range Segments() {
		if s.Start <= uint64(pc) && uint64(pc) < s.Limit {
			return goCodeAround(pc, s.Start, s.Limit)
		}
	}
	return goCodeAround(pc, 0, math.MaxUint64)
}

// goCodeAround returns the Go code around pc between start and limit, beyond which may be another file's.
func goCodeAround(pc uintptr, start, limit uint64) codeRange {
	return extent(pc, func(pc uintptr) bool {
		return start <= uint64(pc) && uint64(pc) < limit && runtime.FuncForPC(pc) != nil
	})
}

// funcRange returns the range of the Go function that holds pc; empty if none does.
func funcRange(pc uintptr) codeRange {
	f := runtime.FuncForPC(pc)
	if f == nil {
		return codeRange{}
	}
	return extent(pc, func(pc uintptr) bool {
		other := runtime.FuncForPC(pc)
		return other != nil && other.Entry() == f.Entry()
	})
}

// neighbour returns the range of the function with this name among the nearest thousand functions on each side of c, where
// functions of the same source file lie; empty if it is not there.
func neighbour(c codeRange, name string) codeRange {
	up, down := c, c
	for range 1000 {
		up, down = funcRange(uintptr(up.hi)), funcRange(uintptr(down.lo)-1)
		for _, found := range []codeRange{up, down} {
			if f := runtime.FuncForPC(uintptr(found.lo)); f != nil && f.Name() == name {
				return found
			}
		}
	}
	return codeRange{}
}

// extent returns the stretch around pc in which in returns true; it must be one stretch, shorter than a gigabyte each way.
func extent(pc uintptr, in func(uintptr) bool) codeRange {
	up := first(1<<30, func(n int) bool { return !in(pc + uintptr(n)) })
	down := first(min(1<<30, int(pc)), func(n int) bool { return !in(pc - uintptr(n)) })
	return newCodeRange(pc-uintptr(down)+1, pc+uintptr(up))
}

// first is sort.Search for results that are mostly small: a start needs the ranges of hundreds of functions.
func first(limit int, is func(int) bool) int {
	near, far := 0, 1
	for far < limit && !is(far) {
		near, far = far, 2*far
	}
	return near + sort.Search(min(far, limit)-near, func(n int) bool { return is(near + n) })
}

// A plugin has copies of all functions of the runtime that it uses, so that its calls to C go through an asmcgocall of its
// own. It shares the runtime's data with the program, whose runtime knows the plugin's functions as soon as the loader has
// run the plugin's constructors. Its code is the same as the program's: a plugin is only accepted from the same toolchain.

const probeStep = 1 << 14 // far less than the runtime's code, which every plugin has

// FindGoCode looks in a module's executable range, not the program's own, for Go code that the running Go runtime knows. It
// returns false if there is none, or none that calls C in a known way.
func FindGoCode(start, limit uint64, module uint16) (GoCode, bool) {
	for pc := start; pc < limit; pc += probeStep {
		if runtime.FuncForPC(uintptr(pc)) != nil {
			code := newGoCode(goCodeAround(uintptr(pc), start, limit), module)
			findCopies(&code)
			return code, code.asmcgocall.hi != 0
		}
	}
	return GoCode{}, false
}

// findCopies searches for the functions in the order of their addresses: the linker puts the runtime before the packages
// that need it.
func findCopies(code *GoCode) {
	wanted := map[string]*codeRange{
		"runtime.asmcgocall": &code.asmcgocall,
		"runtime.mstart":     &code.mstart,
		"crosscall2":         &code.crosscall2,
	}
	for pc := uintptr(code.text.lo); pc < uintptr(code.text.hi) && len(wanted) > 0; {
		f, end := runtime.FuncForPC(pc), functionEnd(pc)
		if found := wanted[f.Name()]; found != nil && f.Entry() == pc && isAssembly(f) {
			*found = newCodeRange(pc, end)
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

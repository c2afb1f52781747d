//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "walk.h"
// extern void crosscall2(void (*)(void *), void *, int, size_t);
// static uintptr_t crosscall2_address(void) { return (uintptr_t)crosscall2; }
import "C"

import (
	"math"
	"reflect"
	"runtime"
	"sort"
)

// textRange returns the range of the program's Go code. A plugin that contains this code too runs its own copy of it, but a
// function's value is the program's. Only asking function by function works in stripped binaries too.
func textRange() C.struct_code {
	pc := reflect.ValueOf(textRange).Pointer()
	for _, s := range Segments() {
		if s.Start <= uint64(pc) && uint64(pc) < s.Limit {
			return goCodeAround(pc, s.Start, s.Limit)
		}
	}
	return goCodeAround(pc, 0, math.MaxUint64)
}

// goCodeAround returns the Go code around pc between start and limit, beyond which may be another file's.
func goCodeAround(pc uintptr, start, limit uint64) C.struct_code {
	return extent(pc, func(pc uintptr) bool {
		return start <= uint64(pc) && uint64(pc) < limit && runtime.FuncForPC(pc) != nil
	})
}

// funcRange returns the range of the Go function that holds pc; empty if none does.
func funcRange(pc uintptr) C.struct_code {
	f := runtime.FuncForPC(pc)
	if f == nil {
		return C.struct_code{}
	}
	return extent(pc, func(pc uintptr) bool {
		other := runtime.FuncForPC(pc)
		return other != nil && other.Entry() == f.Entry()
	})
}

// neighbour returns the range of the function with this name among the nearest thousand functions on each side of c, where
// functions of the same source file lie; empty if it is not there.
func neighbour(c C.struct_code, name string) C.struct_code {
	up, down := c, c
	for range 1000 {
		up, down = funcRange(uintptr(up.hi)), funcRange(uintptr(down.lo)-1)
		for _, found := range []C.struct_code{up, down} {
			if f := runtime.FuncForPC(uintptr(found.lo)); f != nil && f.Name() == name {
				return found
			}
		}
	}
	return C.struct_code{}
}

// extent returns the stretch around pc in which in returns true; it must be one stretch, shorter than a gigabyte each way.
func extent(pc uintptr, in func(uintptr) bool) C.struct_code {
	up := first(1<<30, func(n int) bool { return !in(pc + uintptr(n)) })
	down := first(min(1<<30, int(pc)), func(n int) bool { return !in(pc - uintptr(n)) })
	return C.struct_code{lo: C.uint64_t(pc - uintptr(down) + 1), hi: C.uint64_t(pc + uintptr(up))}
}

// first is sort.Search for results that are mostly small: a start needs the ranges of hundreds of functions.
func first(limit int, is func(int) bool) int {
	near, far := 0, 1
	for far < limit && !is(far) {
		near, far = far, 2*far
	}
	return near + sort.Search(min(far, limit)-near, func(n int) bool { return is(near + n) })
}

func crosscall2Range() C.struct_code { return funcRange(uintptr(C.crosscall2_address())) }

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"runtime"
	"testing"
)

// libfaketime and its like replace functions of libc by some that allocate while they hold a lock. A thread of the library's calls
// these all the time. A hook, or who reads the tables, must not: the library ends the process if a thread would wait for itself.
func TestALibraryThatReplacesFunctionsOfLibc(t *testing.T) {
	if preloads(t, "interposed.c", "-O1", "-Wall") {
		callInterposed(t)
	}
}

func callInterposed(t *testing.T) {
	const enough, size = 100, 7037 // as interposed.c has it
	r := start(t, everything)
	for ofSize(t, r, size).AllocObjects < enough {
		runtime.Gosched()
	}
	lossless(t, r)
}

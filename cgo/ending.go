//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "ending.h"
import "C"

import "syscall"

// endings are the signals that may end a Go program, but SIGBUS, which the handler of a black box has anyway.
var endings = []syscall.Signal{
	syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT,
	syscall.SIGSEGV, syscall.SIGABRT, syscall.SIGILL, syscall.SIGFPE,
}

// NoteEndings has the region's header note each signal that may end the process. The program gets it as before. A signal that Go's
// runtime does not handle, because the program ignores it or has a handler of its own, is not noted.
func NoteEndings() {
	catching.Lock()
	defer catching.Unlock()
	for _, s := range endings {
		if isExecutable() && handledByRuntime(s) {
			C.ending_begin(C.int(s))
		}
	}
}

// ForgetEndings ends that.
func ForgetEndings() {
	catching.Lock()
	defer catching.Unlock()
	for _, s := range endings {
		C.ending_end(C.int(s))
	}
}

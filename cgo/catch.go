//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "catch.h"
import "C"

import (
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
)

// catching counts, for each signal, who has it caught.
var catching struct {
	sync.Mutex
	users [C.CATCH_MOST + 1]int
}

// Catch has TakeCaught return the signal when it arrives, and asks for WakeSignal; Go's runtime and the program get it as
// without that. False if it is not sure that the runtime handles the signal and goes on to do so: os/signal is then the way
// to wait for it.
func Catch(s syscall.Signal) bool {
	catching.Lock()
	defer catching.Unlock()
	if !harmless(s) || !isExecutable() {
		return false
	}
	if catching.users[s] == 0 && !bool(C.catch_stands(C.int(s))) && !handledByRuntime(s) {
		return false
	}
	if !bool(C.catch_begin(C.int(s))) {
		return false
	}
	catching.users[s]++
	return true
}

// Release ends what Catch began.
func Release(s syscall.Signal) {
	catching.Lock()
	defer catching.Unlock()
	if catching.users[s]--; catching.users[s] == 0 {
		C.catch_end(C.int(s))
	}
}

// TakeCaught returns the signals that were caught since the last call.
func TakeCaught() (list []syscall.Signal) {
	caught := uint64(C.catch_take())
	for s := syscall.Signal(1); s <= C.CATCH_MOST; s++ {
		if caught>>(s-1)&1 != 0 {
			list = append(list, s)
		}
	}
	return list
}

// harmless signals are those for which Go's runtime does nothing where the program does not wait for them. Others would
// end the program, which signal.Notify prevents.
func harmless(s syscall.Signal) bool {
	return s == syscall.SIGUSR1 || s == syscall.SIGUSR2 || s > 34 && s <= C.CATCH_MOST
}

// isExecutable is false for a library of Go's, where the runtime handles a signal from the first signal.Notify on to the
// last signal.Stop.
func isExecutable() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool {
		return s.Key == "-buildmode" && (s.Value == "exe" || s.Value == "pie")
	})
}

func handledByRuntime(s syscall.Signal) bool {
	f := runtime.FuncForPC(uintptr(C.catch_handler(C.int(s))))
	return f != nil && (f.Name() == "runtime.sigtramp" || f.Name() == "runtime.cgoSigtramp")
}

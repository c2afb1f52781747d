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

// catching counts, for each signal, the calls of Catch that have not been released.
var catching struct {
	sync.Mutex
	users [C.CATCH_MOST + 1]int
}

// Catch makes TakeCaught return the signal when it arrives, and asks for WakeSignal; Go's runtime and the program still get
// the signal. It returns false if it is not certain that the runtime handles the signal and keeps doing so: then use
// os/signal.
func Catch(s syscall.Signal) bool {
	catching.Lock()
	defer catching.Unlock()
	if !harmless(s) || !isExecutable() {
		return false
	}
	if !bool(C.catch_stands(C.int(s))) && !handledByRuntime(s) { // also after an earlier call: somebody may have changed it since
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

// harmless signals are those for which Go's runtime does nothing if the program does not wait for them. Others would end the
// program, unless signal.Notify prevents it.
func harmless(s syscall.Signal) bool {
	return s == syscall.SIGUSR1 || s == syscall.SIGUSR2 || s > 34 && s <= C.CATCH_MOST
}

// isExecutable reports whether this is not a library built with Go, where the runtime handles a signal only from the first
// signal.Notify to the last signal.Stop.
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

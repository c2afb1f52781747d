//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "catch.h"
// #include "ending.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
)

// catching counts, for each signal, the calls of Catch and of WatchSignals that have not been ended.
var catching struct {
	sync.Mutex
	users    [C.CATCH_MOST + 1]int
	watchers [C.CATCH_MOST + 1]int // of WatchSignals
}

// Catch makes TakeCaught return the signal when it arrives, and asks for WakeSignal; Go's runtime or the handler that the program
// has still gets the signal. It returns false if it is not certain that a handler is there and stays: then use os/signal.
func Catch(s syscall.Signal) bool {
	catching.Lock()
	defer catching.Unlock()
	if s <= 0 || s > C.CATCH_MOST || bool(C.catch_blocked(C.int(s))) {
		return false
	}
	if !bool(C.catch_stands(C.int(s))) { // also after an earlier call: somebody may have changed it since
		byGo := handledByRuntime(s)
		if byGo && !(harmless(s) && isExecutable()) || C.catch_handler(C.int(s)) <= ignored || !bool(C.catch_begin(C.int(s), C.bool(byGo))) {
			return false
		}
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

// TakeCaught returns the signals that were caught since the last call, and passes them on to Go's runtime.
func TakeCaught() (list []syscall.Signal) {
	caught := uint64(C.catch_take())
	for s := syscall.Signal(1); s <= C.CATCH_MOST; s++ {
		if caught>>(s-1)&1 != 0 {
			C.catch_pass_on(C.int(s))
			list = append(list, s)
		}
	}
	return list
}

// ignored is the handler of a signal that is ignored; 0 is the default action.
const ignored = 1

// Waited reports whether the program may wait for the signal by sigwait or a descriptor, as a library's host may. Then a handler would
// take it away.
func Waited(s syscall.Signal) bool {
	return s > 0 && s <= C.CATCH_MOST && bool(C.catch_blocked(C.int(s))) && !isExecutable()
}

// WatchSignals asks for WakeHandler, within a second, whenever somebody has changed what one of the signals does, until stop is called.
func WatchSignals(signals []syscall.Signal) (stop func()) {
	watch := func(change int) {
		catching.Lock()
		defer catching.Unlock()
		for _, s := range signals {
			if s > 0 && s <= C.CATCH_MOST {
				catching.watchers[s] += change
				C.catch_watch(C.int(s), C.bool(catching.watchers[s] > 0))
			}
		}
	}
	watch(1)
	return sync.OnceFunc(func() { watch(-1) })
}

// Lost says why a signal reaches neither Catch nor, if runtime is set, Go's runtime; nil if it does.
func Lost(s syscall.Signal, runtime bool) error {
	if s <= 0 || s > C.CATCH_MOST || bool(C.catch_stands(C.int(s))) || runtime && handledByRuntime(s) {
		return nil
	}
	switch handler := C.catch_handler(C.int(s)); handler {
	case 0:
		return errors.New("the signal has its default action, which may end the process: do not send it")
	case ignored:
		return errors.New("the program ignores the signal")
	default:
		return fmt.Errorf("another handler of the signal, at %#x, stands before the profiler's, which gets it only if that passes it on; "+
			"do not send it, unless it is meant for that one", uint64(handler))
	}
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

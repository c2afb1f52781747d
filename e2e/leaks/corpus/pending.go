package main

// #include <stdlib.h>
// #include "gos.h"
import "C"

import (
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/cgoheap/cgoheap/e2e/leaks/trial"
)

// release frees the block of a handle, as finalizers of real packages do.
func release(h *handle) { C.free(h.block) }

// finalizers has objects whose finalizers free their blocks: objects in use, objects whose finalizer has run, and garbage whose
// finalizers wait behind one that is stuck. A finalizer that forgets to free loses its block.
func finalizers() {
	var ran atomic.Int64
	finalized(func() unsafe.Pointer { return C.freed_by_finalizer() }, func(h *handle) { release(h); ran.Add(1) })
	finalized(func() unsafe.Pointer { return C.lost_past_finalizer() }, func(*handle) { ran.Add(1) })
	collectUntil(func() bool { return ran.Load() == 2*int64(number()) })
	for range number() {
		trial.Uncounted("freed_by_finalizer", size)
	}
	var stuck atomic.Bool
	runtime.SetFinalizer(&handle{id: -1}, func(*handle) { stuck.Store(true); select {} })
	collectUntil(stuck.Load)
	finalized(func() unsafe.Pointer { return C.kept_by_pending_finalizer() }, release)
	runtime.GC()
	handles = finalized(func() unsafe.Pointer { return C.kept_by_finalizer() }, release)
	trial.Held("kept_by_finalizer", through("Go variable main.handles"))
	trial.Held("kept_by_pending_finalizer", inQueue)
	trial.Told("kept_by_pending_finalizer", " reachable from Go's runtime, such as a timer or a finalizer that waits for its turn, with 1 running in main.finalizers.func")
}

//go:noinline
func finalized(block func() unsafe.Pointer, finalize func(*handle)) (list []*handle) {
	for i := range number() {
		h := &handle{i, block()}
		runtime.SetFinalizer(h, finalize)
		list = append(list, h)
	}
	return list
}

// inQueue is what a holder is called of which only Go's runtime knows.
const inQueue = "Go's runtime, "

// stuckCleanups is more than the runtime runs at a time.
const stuckCleanups = 1000

// cleanups is as finalizers, with AddCleanup.
func cleanups() {
	var ran atomic.Int64
	cleaned(func() unsafe.Pointer { return C.freed_by_cleanup() }, func(p unsafe.Pointer) { C.free(p); ran.Add(1) })
	collectUntil(func() bool { return ran.Load() == int64(number()) })
	for range number() {
		trial.Uncounted("freed_by_cleanup", size)
	}
	var stuck atomic.Int64
	for i := range stuckCleanups {
		runtime.AddCleanup(&handle{id: i}, func(int) { stuck.Add(1); select {} }, i)
	}
	collectUntil(func() bool { return stuck.Load() > 0 })
	cleaned(func() unsafe.Pointer { return C.kept_by_pending_cleanup() }, func(p unsafe.Pointer) { C.free(p) })
	runtime.GC()
	handles = cleaned(func() unsafe.Pointer { return C.kept_by_cleanup() }, func(p unsafe.Pointer) { C.free(p) })
	trial.Held("kept_by_cleanup", through("Go variable main.handles"))
	trial.Held("kept_by_pending_cleanup", inQueue)
}

// cleaned has objects that do not know their blocks: only the cleanup does.
//
//go:noinline
func cleaned(block func() unsafe.Pointer, cleanup func(unsafe.Pointer)) (list []*handle) {
	for i := range number() {
		h := &handle{id: i}
		runtime.AddCleanup(h, cleanup, block())
		list = append(list, h)
	}
	return list
}

func collectUntil(done func() bool) {
	for !done() {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}

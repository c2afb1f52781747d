package sqlite

/*
#cgo CFLAGS: -Wall -O2 -fomit-frame-pointer
#include "count.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"sync/atomic"

	_ "github.com/mattn/go-sqlite3" // the SQLite that counts here

	"github.com/cgoheap/cgoheap/e2e/truth"
)

// Count makes SQLite count what it allocates. Call it before SQLite is used.
func Count() error {
	if code := C.counted_install(); code != 0 {
		return fmt.Errorf("counting in SQLite: error %d", int(code))
	}
	return nil
}

// Phase names a part of a program's work with SQLite.
type Phase int

var phases atomic.Int64

// NewPhase returns a phase that has not been used. There are 1023.
func NewPhase() Phase { return Phase(phases.Add(1)) }

// During runs work and counts what SQLite allocates on this goroutine for the phase.
//
//go:noinline
func (p Phase) During(work func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := C.counted_enter(C.int(p))
	defer C.counted_enter(before)
	work()
}

// Mallocs are the blocks of the phase that SQLite's xMalloc allocated, in function counted_malloc.
func (p Phase) Mallocs() truth.Values { return p.sum(C.COUNTED_MALLOC) }

// Reallocs are the blocks of the phase that SQLite's xRealloc allocated or resized, in function counted_realloc.
func (p Phase) Reallocs() truth.Values { return p.sum(C.COUNTED_REALLOC) }

func (p Phase) sum(method C.enum_counted_method) truth.Values {
	sum := C.counted_sum(C.int(p), method)
	return truth.Values{int64(sum.alloc_objects), int64(sum.alloc_bytes), int64(sum.inuse_objects), int64(sum.inuse_bytes)}
}

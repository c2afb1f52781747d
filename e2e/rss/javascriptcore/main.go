//go:build rss

// Command javascriptcore runs JavaScript in WebKit's engine, in a virtual machine for each thread.
package main

/*
#cgo pkg-config: javascriptcoregtk-4.1
#cgo CFLAGS: -O2 -Wall
#include "script.h"
*/
import "C"

import (
	_ "embed"
	"errors"
	"os"
	"unsafe"

	"github.com/cgoheap/cgoheap/e2e/rss/audit"
)

const threads = 3

//go:embed work.js
var script string

var contexts [threads]C.JSGlobalContextRef

func main() { audit.Main(audit.Load{Threads: threads, Warm: 20, Prepare: prepare, Round: round}) }

// prepare has the engine collect garbage while its thread waits for that. Otherwise it stops the thread whenever it likes, by a signal whose
// handler does not ask for the signal stack (SA_ONSTACK): where the thread has returned to Go, the goroutine's stack is overrun.
func prepare() error { return os.Setenv("JSC_useConcurrentGC", "0") }

// round makes the virtual machine on its own thread.
func round(thread int) error {
	if contexts[thread] == nil {
		text := C.CString(script)
		defer C.free(unsafe.Pointer(text))
		contexts[thread] = C.script_load(text)
	}
	if contexts[thread] == nil || C.script_round(contexts[thread]) != 0 {
		return errors.New("an exception in JavaScript")
	}
	return nil
}

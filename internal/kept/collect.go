package kept

import (
	"runtime"
	"time"
)

// sentinel has a pointer, because the collector keeps small objects without one together, and finalizers of such may never run.
type sentinel struct{ _ *sentinel }

// Collect runs the garbage collector twice, each time until a finalizer and a cleanup of its own have run. One goroutine runs
// all finalizers in turn, so when the second of these has run, all that the first collection has found have. Cleanups run in
// several goroutines. If the queue does not move for a while, Collect gives up: a finalizer of the program may block.
func Collect() {
	for range 2 {
		done := make(chan bool, 2)
		watch(done)
		runtime.GC()
		late := time.After(queueLimit)
		for range 2 {
			select {
			case <-done:
			case <-late:
				return
			}
		}
	}
}

const queueLimit = time.Second

// watch makes two objects that are garbage at once.
//
//go:noinline
func watch(done chan<- bool) {
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) { done <- true })
	runtime.AddCleanup(&sentinel{}, func(done chan<- bool) { done <- true }, done)
}

package main

// #cgo CFLAGS: -Wall -O2 -g -fomit-frame-pointer
// #cgo LDFLAGS: -lpthread -ldl
// #include <stdlib.h>
// #include "worker.h"
import "C"

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// callbacks is how often C calls Go again after the first time, in the deepest stacks.
const callbacks = 4

// busy are the workers between one call to begin and the next to end.
type busy struct {
	finished sync.WaitGroup
}

var execs, collections atomic.Int64

//go:noinline
func work(body func(C.uint32_t), first C.uint32_t, finished *sync.WaitGroup) {
	defer finished.Done()
	body(first)
}

// begin starts all workers, and others.
func (s *storm) begin(others ...func(C.uint32_t)) *busy {
	b := allocate(s.entrances)
	others = append(others, func(C.uint32_t) { C.stress_move_pages() })
	if !s.onlyPages {
		b.start(inLibraries, s.libraries())
		others = append(others, execute, collect, func(C.uint32_t) { C.stress_spawns() })
	}
	for _, other := range others {
		b.start(other, 0)
	}
	return b
}

// allocate starts only the workers of these entrances, two for each common one.
func allocate(through []*entrance) *busy {
	b := new(busy)
	C.stress_set_end(0)
	for _, e := range through {
		b.start(e.work, e.first)
		if e.name == "goroutine" || e.name == "thread" {
			b.start(e.work, e.first)
		}
	}
	return b
}

func (b *busy) start(body func(C.uint32_t), first C.uint32_t) {
	b.finished.Add(1)
	go work(body, first, &b.finished)
}

// end waits for all workers: then nothing is in progress.
func (b *busy) end() {
	C.stress_set_end(1)
	b.finished.Wait()
}

func ended() bool { return bool(C.stress_ended()) }

func oneOf(first C.uint32_t) C.uint32_t { return first + C.stress_random()%C.STRESS_WAYS }

//go:noinline
func inGoroutine(first C.uint32_t) {
	for n := 0; !ended(); n++ {
		C.stress_visit(oneOf(first))
		if n%64 == 0 {
			runtime.Gosched()
		}
	}
}

//go:noinline
func inAround(first C.uint32_t) {
	runtime.LockOSThread()
	for !ended() {
		C.stress_around_go(oneOf(first))
	}
	runtime.UnlockOSThread()
}

//go:noinline
func inDeep(first C.uint32_t) {
	for !ended() {
		C.stress_call_go(oneOf(first), callbacks)
	}
}

//export stressNested
func stressNested(site C.uint32_t, depth C.int) {
	if depth > 0 {
		C.stress_call_go(site, depth-1)
		return
	}
	C.stress_visit(site)
}

// stressGrow makes the goroutine's stack outgrow its memory, from time to time.
//
//export stressGrow
func stressGrow() {
	if C.stress_random()%64 == 0 {
		done := make(chan byte)
		go func() { done <- grow(40) }()
		grow(int(C.stress_random() % 60))
		<-done
	}
}

//go:noinline
func grow(depth int) byte {
	var room [1024]byte
	room[depth] = 1
	if depth > 0 {
		return room[depth] + grow(depth-1)
	}
	return room[0]
}

func inThread(first C.uint32_t)         { C.stress_threads(first) }
func inShortThreads(first C.uint32_t)   { C.stress_short_threads(first) }
func inCallingThreads(first C.uint32_t) { C.stress_threads_call_go(first) }
func inHandler(first C.uint32_t)        { C.stress_signals(first, 0) }
func inHandlerAside(first C.uint32_t)   { C.stress_signals(first, 1) }

func besideThread(first C.uint32_t)  { C.stress_pages_by_thread(first) }
func besideHandler(first C.uint32_t) { C.stress_pages_by_handler(first) }
func besideFiber(first C.uint32_t)   { C.stress_pages_by_fiber(first) }

func besideGoroutine(first C.uint32_t) {
	for !ended() {
		C.stress_pages_by_goroutine(first)
	}
}

//go:noinline
func inFork(first C.uint32_t) {
	C.stress_forks(first)
	runtime.KeepAlive(first)
}

//go:noinline
func inLibraries(first C.uint32_t) {
	a, b := C.CString(libraryPaths[0]), C.CString(libraryPaths[1])
	defer C.free(unsafe.Pointer(a))
	defer C.free(unsafe.Pointer(b))
	C.stress_libraries(first, a, b)
}

// execute runs programs by os/exec.
func execute(C.uint32_t) {
	for !ended() {
		if err := exec.Command("true").Run(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			C.stress_count(C.FAILURES)
		}
		execs.Add(1)
		time.Sleep(5 * time.Millisecond)
	}
}

// collect makes the Go runtime stop the world and preempt.
func collect(C.uint32_t) {
	for !ended() {
		debug.FreeOSMemory()
		collections.Add(1)
		time.Sleep(20 * time.Millisecond)
	}
}

//go:build linux && cgo

package main

// #include "core.h"
import "C"

import (
	"fmt"
	"runtime"
	"runtime/cgo"
	"sync"
	"unsafe"
)

// A site is one way to allocate, come to through one entrance.
type site struct {
	way    int
	size   int64    // that of no other site
	frames []string // ours, leaf first
	blocks []unsafe.Pointer
}

type sites []*site

// An entrance runs a site's visit; frames are what lies below the C function then.
type entrance struct {
	run    func(*site)
	frames []string
}

var entrances = []entrance{
	{directly, []string{"main.(*site).visit", "main.directly", "main.visitAll", "main.Run"}},
	{inGoroutine, []string{"main.(*site).visit", "main.inGoroutine.func1"}},
	{inCallback, []string{"main.(*site).visit", "main.coreVisit", "core_call_go", "main.inCallback", "main.visitAll", "main.Run"}},
	{inThread, []string{"main.(*site).visit", "main.coreVisit", "core_call_go", "core_thread_calls_go"}},
	{alone, []string{"core_thread_allocates"}},
}

// visitAll allocates at every site.
//
//go:noinline
func visitAll() sites {
	var all sites
	for i, entrance := range entrances {
		for way := 0; C.core_name(C.int(way)) != nil; way++ {
			name := C.GoString(C.core_name(C.int(way)))
			s := &site{way: way, size: int64(64 * (97 + way + 100*i)), frames: append([]string{name}, entrance.frames...)}
			entrance.run(s)
			all = append(all, s)
		}
	}
	startThreads()
	return all
}

// visit allocates blocks and keeps some of them.
//
//go:noinline
func (s *site) visit() {
	for i := range perVisit {
		block := C.core_allocate(C.int(s.way), C.size_t(s.size))
		if block == nil {
			panic(fmt.Sprintf("no %d bytes from %s", s.size, s.frames[0]))
		}
		if i < kept {
			s.blocks = append(s.blocks, block)
		} else {
			C.core_free(C.int(s.way), block)
		}
	}
}

// free gives the kept blocks back, when nothing is recorded any more.
func (all sites) free() {
	for _, s := range all {
		for _, block := range s.blocks {
			C.core_free(C.int(s.way), block)
		}
	}
}

//go:noinline
func directly(s *site) { s.visit() }

//go:noinline
func inGoroutine(s *site) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.visit()
	}()
	<-done
}

//go:noinline
func inCallback(s *site) {
	handle := cgo.NewHandle(s)
	defer handle.Delete()
	C.core_call_go(C.uintptr_t(handle))
}

//go:noinline
func inThread(s *site) {
	handle := cgo.NewHandle(s)
	defer handle.Delete()
	if failed := C.core_thread(C.uintptr_t(handle)); failed != 0 {
		panic(fmt.Sprintf("pthread_create: errno %d", failed))
	}
}

// startThreads makes the runtime start threads of its own, from threads that it started: their stacks must end well too.
func startThreads() {
	var started, done sync.WaitGroup
	held := make(chan struct{})
	for range 8 {
		started.Add(1)
		done.Go(func() {
			runtime.LockOSThread() // for good: the thread ends with the goroutine
			started.Done()
			<-held
		})
	}
	started.Wait()
	close(held)
	done.Wait()
}

//go:noinline
func alone(s *site) {
	if failed := C.core_thread_alone(C.int(s.way), C.size_t(s.size), perVisit, kept); failed != 0 {
		panic(fmt.Sprintf("pthread_create: errno %d", failed))
	}
}

//export coreVisit
func coreVisit(handle C.uintptr_t) { cgo.Handle(handle).Value().(*site).visit() }

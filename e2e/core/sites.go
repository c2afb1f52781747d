package main

// #include "core.h"
import "C"

import (
	"fmt"
	"runtime"
	"runtime/cgo"
	"strings"
	"sync"
	"unsafe"
)

// A site is one way to allocate, reached through one entrance.
type site struct {
	way    int
	size   int64    // no other site has this size
	frames []string // ours, leaf first
	blocks []unsafe.Pointer
}

type sites []*site

// An entrance runs a site's visit; frames are the frames below the C function then.
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
			s := &site{way: way, size: sizeOf(name, way, i), frames: append([]string{name}, entrance.frames...)}
			entrance.run(s)
			all = append(all, s)
		}
	}
	startThreads()
	return all
}

// sizeOf returns a size that no other site has. Some functions return only small blocks, or whole pages.
func sizeOf(name string, way, entrance int) int64 {
	switch {
	case strings.HasSuffix(name, "_small"):
		return int64(8*(way%16+16*entrance) + 256)
	case strings.HasSuffix(name, "_pvalloc"):
		return int64(4096 * (20 + entrance))
	case strings.HasSuffix(name, "_realpath"):
		return int64(101 + entrance)
	}
	return int64(64 * (97 + way + 100*entrance))
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
			C.core_free(C.int(s.way), block, C.size_t(s.size))
		}
	}
}

// free frees the kept blocks, after the recording.
func (all sites) free() {
	for _, s := range all {
		for _, block := range s.blocks {
			C.core_free(C.int(s.way), block, C.size_t(s.size))
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

// startThreads makes the runtime start threads of its own, from threads that it started: their stacks must be complete too.
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

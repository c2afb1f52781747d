package victim

// #include "victim.h"
import "C"

import (
	"runtime/cgo"
	"sync"
	"syscall"
	"unsafe"
)

//export victimRunGo
func victimRunGo(run C.uintptr_t) {
	cgo.Handle(run).Value().(func())()
}

// CallBack calls run from C: Go, C, Go. Nest it for more.
func CallBack(run func()) {
	handle := cgo.NewHandle(run)
	defer handle.Delete()
	C.victim_call_go(C.uintptr_t(handle))
}

// MallocAround allocates size bytes, calls run from C, and allocates size bytes more in the same C function.
func MallocAround(run func(), size uintptr) (before, after unsafe.Pointer) {
	handle := cgo.NewHandle(run)
	defer handle.Delete()
	pair := C.victim_malloc_around_go(C.uintptr_t(handle), C.size_t(size))
	return pair.first, pair.second
}

// MoveStack makes the calling goroutine's stack outgrow its memory, and lets others fill that memory with their own frames:
// a walk that still follows a pointer into it ends up in another goroutine.
func MoveStack() {
	useStack(stackPages)
	var others sync.WaitGroup
	for range 16 {
		others.Add(1)
		go func() { // grows through every size that a stack can have had
			defer others.Done()
			useStack(stackPages)
		}()
	}
	others.Wait()
}

const stackPages = 512

//go:noinline
func useStack(depth int) byte {
	var room [1024]byte
	room[depth%len(room)] = 1
	if depth > 0 {
		return room[depth%len(room)] + useStack(depth-1)
	}
	return room[0]
}

// MallocOnThread allocates size bytes on a C thread that never enters Go and has ended when it returns.
func MallocOnThread(size uintptr) unsafe.Pointer {
	return C.victim_malloc_on_thread(C.size_t(size))
}

// OnThread calls run from a C thread that is created for it, and waits for its end.
func OnThread(run func()) error {
	handle := cgo.NewHandle(run)
	defer handle.Delete()
	if errno := C.victim_call_go_on_thread(C.uintptr_t(handle)); errno != 0 {
		return syscall.Errno(errno)
	}
	return nil
}

package victim

// #include <stdlib.h>
// #include "victim.h"
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

// Wander allocates and frees n blocks of size bytes at the leaves of random trees of calls through C functions of many
// shapes and through Go, some of which moves the goroutine's stack. It returns the stack of each as cgoheap_walk saw it from the
// function that called malloc: call sites, leaf first, the first of which is the call of cgoheap_walk. Stacks come in the order
// of their allocation, so that most share much with the one before. One call at a time.
func Wander(n int, size uintptr, seed uint64) [][]uintptr {
	w := (*C.struct_victim_wander)(C.calloc(1, C.sizeof_struct_victim_wander))
	defer C.free(unsafe.Pointer(w))
	w.seen = (*C.struct_victim_seen)(C.calloc(C.size_t(n), C.sizeof_struct_victim_seen))
	defer C.free(unsafe.Pointer(w.seen))
	w.most, w.size, w.random = C.size_t(n), C.size_t(size), C.uint64_t(seed)
	below := cgo.NewHandle(func() {
		depth := w.depth
		useStack(int(w.random>>40) % 64)
		C.victim_wander(w, depth)
	})
	defer below.Delete()
	w.run = C.uintptr_t(below)
	for w.count < w.most {
		C.victim_wander(w, 12)
	}
	var stacks [][]uintptr
	for _, seen := range unsafe.Slice(w.seen, n) {
		stack := make([]uintptr, seen.depth)
		for i := range stack {
			stack[i] = uintptr(seen.pcs[i])
		}
		stacks = append(stacks, stack)
	}
	return stacks
}

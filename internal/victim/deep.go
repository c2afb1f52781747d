package victim

// #include <stdlib.h>
// #include "victim.h"
import "C"

import "unsafe"

// Deep are threads whose stacks are known.
type Deep struct {
	all *C.struct_victim_deep
	n   int
}

// StartDeep starts n threads with stacks of a size, each of which writes to a part of its own. Of ten, one goes on running and the
// others wait.
func StartDeep(n int, stack, touch uintptr) (*Deep, error) {
	d := &Deep{(*C.struct_victim_deep)(C.calloc(C.size_t(n), C.sizeof_struct_victim_deep)), n}
	for i := range d.list() {
		d.list()[i].touch = C.size_t(touch)
		if i%10 == 0 {
			d.list()[i].running = 1
		}
	}
	return d, asError(C.victim_deep_begin(d.all, C.uint(n), C.size_t(stack)))
}

func (d *Deep) list() []C.struct_victim_deep { return unsafe.Slice(d.all, d.n) }

// Bounds returns the lowest address of each stack and the address behind it, as pthread_getattr_np reports them.
func (d *Deep) Bounds() (all [][2]uint64) {
	for _, one := range d.list() {
		all = append(all, [2]uint64{uint64(one.lo), uint64(one.hi)})
	}
	return all
}

// Leave has the threads end, which are not joined.
func (d *Deep) Leave() { C.victim_deep_leave(d.all, C.uint(d.n)) }

// StacksKept reports whether libc keeps the stacks of ended threads.
func StacksKept() bool { return C.victim_stacks_kept() != 0 }

// Join waits for the threads, after Leave. Libc may keep their stacks.
func (d *Deep) Join() {
	C.victim_deep_join(d.all, C.uint(d.n))
	C.free(unsafe.Pointer(d.all))
	d.all, d.n = nil, 0
}

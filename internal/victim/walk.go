package victim

// #cgo noescape victim_nocallback
// #cgo nocallback victim_nocallback
// #include <stdlib.h>
// #include "victim.h"
// #include "walk.h"
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

// Alloca allocates size bytes in a frame that grew by size bytes at run time.
func Alloca(size uintptr) unsafe.Pointer { return C.victim_alloca(C.size_t(size)) }

// RealignedStack allocates size bytes in a frame whose prologue aligned the stack to 64.
func RealignedStack(size uintptr) unsafe.Pointer { return C.victim_realigned_stack(C.size_t(size)) }

// RealignedAlloca does both.
func RealignedAlloca(size uintptr) unsafe.Pointer { return C.victim_realigned_alloca(C.size_t(size)) }

// FramePointerAsData allocates size bytes while the frame pointer register holds an odd number.
func FramePointerAsData(size uintptr) unsafe.Pointer {
	return C.victim_frame_pointer_as_data(C.size_t(size))
}

// Recursion allocates size bytes below depth more frames of the same C function.
func Recursion(depth int, size uintptr) unsafe.Pointer {
	return C.victim_recursion(C.uint(depth), C.size_t(size))
}

// TailCall allocates size bytes in a C function that tail-calls malloc: the stack begins at its caller.
func TailCall(size uintptr) unsafe.Pointer { return C.victim_caller_of_tail_call(C.size_t(size)) }

// StackOfHooks returns how many bytes of its stack malloc, free, mmap and munmap change: the most of the four.
func StackOfHooks() int { return int(C.victim_stack_of_hooks()) }

// A Chain is the value of the frame pointer in code that can be unwound only by frame pointer.
type Chain uint32

// All of them.
const (
	WholeChain    Chain = C.VICTIM_CHAIN_WHOLE    // as it should be
	OddChain      Chain = C.VICTIM_CHAIN_ODD      // not aligned
	UnmappedChain Chain = C.VICTIM_CHAIN_UNMAPPED // no memory
	ChainBelow    Chain = C.VICTIM_CHAIN_BELOW    // below the stack pointer
	ChainToData   Chain = C.VICTIM_CHAIN_DATA     // at a return address that is a small number
	ChainToStack  Chain = C.VICTIM_CHAIN_STACK    // at one that is in the stack
	ChainToStart  Chain = C.VICTIM_CHAIN_FUNCTION // at one that is where a function begins
	ChainToMiddle Chain = C.VICTIM_CHAIN_MIDDLE   // at one that is inside an instruction
	ChainToCode   Chain = C.VICTIM_CHAIN_CODE     // at one in the code itself, behind no call
	ChainToZero   Chain = C.VICTIM_CHAIN_ZERO     // at one that is zero
	FarChain      Chain = C.VICTIM_CHAIN_FAR      // further than any frame is large
)

// BrokenChain allocates size bytes in code without unwind data, which victim_broken_chain calls.
func BrokenChain(chain Chain, size uintptr) unsafe.Pointer {
	return C.victim_broken_chain(uint32(chain), C.size_t(size))
}

// WithoutUnwindData reports whether an address is in that code.
func WithoutUnwindData(address uint64) bool {
	return C.victim_in_code_without_cfi(C.uintptr_t(address)) != 0
}

// SlideLeft and SlideRight allocate size bytes in one function that both call, through another whose frame lies further
// down the stack the further it is from theirs: so that malloc is called with the same stack pointer, and the frames between
// differ in nothing but where they are. The previous call's frames are still where they were.
func SlideLeft(size uintptr) unsafe.Pointer { return C.victim_slide_left(C.size_t(size)) }

// SlideRight returns the other of SlideLeft.
func SlideRight(size uintptr) unsafe.Pointer { return C.victim_slide_right(C.size_t(size)) }

// NeverReturns allocates size bytes in victim_flies_home, which jumps over its callers: victim_ends_with_a_call, which ends
// there, and victim_never_returns, where it lands.
func NeverReturns(size uintptr) unsafe.Pointer { return C.victim_never_returns(C.size_t(size)) }

// Longjmp allocates size bytes in victim_flies_home below depth + 1 frames of victim_jumps, jumps over them, and
// allocates size + 1 bytes in victim_longjmp, where it lands.
func Longjmp(depth int, size uintptr) (before, after unsafe.Pointer) {
	pair := C.victim_longjmp(C.uint(depth), C.size_t(size))
	return pair.first, pair.second
}

// Fiber allocates size bytes in victim_fiber_body on a stack of its own, leaves that stack and allocates size + 1 bytes in
// victim_fiber, goes back and allocates size + 2 bytes in victim_fiber_body. It returns nil if libc has no swapcontext.
func Fiber(size uintptr) (blocks [3]unsafe.Pointer) {
	C.victim_fiber(C.size_t(size), &blocks[0])
	return blocks
}

// NoCallback allocates size bytes in a C function that is declared never to call Go.
func NoCallback(size uintptr) unsafe.Pointer { return C.victim_nocallback(C.size_t(size)) }

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

// MallocStackUse returns how many bytes of its thread's stack malloc writes to below its caller. One call at a time.
func MallocStackUse(size uintptr) uintptr { return uintptr(C.victim_malloc_stack_use(C.size_t(size))) }

// Walks is one stack as two walkers saw it: addresses of call sites in C, leaf first, above the function that called both.
type Walks struct {
	Calls        int // how many stacks were walked
	Ours, Theirs []uintptr
}

// Callers are the functions of libc and libstdc++ that call back into code which walks the stack, and the signals that
// lead to it, by name.
var Callers = map[string]func(){
	"qsort":                     func() { C.victim_walk_from_qsort() },
	"qsort_r":                   func() { C.victim_walk_from_qsort_r() },
	"bsearch":                   func() { C.victim_walk_from_bsearch() },
	"tsearch":                   func() { C.victim_walk_from_tsearch() },
	"twalk":                     func() { C.victim_walk_from_twalk() },
	"once":                      func() { C.victim_walk_from_once() },
	"nftw":                      func() { C.victim_walk_from_nftw() },
	"fprintf":                   func() { C.victim_walk_from_printf() },
	"thread":                    func() { C.victim_walk_from_thread() },
	"sort":                      func() { C.victim_walk_from_sort() },
	"for_each":                  func() { C.victim_walk_from_for_each() },
	"function":                  func() { C.victim_walk_from_function() },
	"ostream":                   func() { C.victim_walk_from_ostream() },
	"regex":                     func() { C.victim_walk_from_regex() },
	"time_put":                  func() { C.victim_walk_from_locale() },
	"std::thread body":          func() { C.victim_walk_from_cxx_thread() },
	"call_once":                 func() { C.victim_walk_from_call_once() },
	"destructor during a throw": func() { C.victim_walk_from_destructor_in_flight() },
	"signal in raise":           func() { C.victim_walk_from_raise() },
	"signal at a leaf":          func() { C.victim_walk_from_trap() },
	"every instruction":         func() { C.victim_walk_from_steps() },
}

// WalkBoth runs a function that walks the stack somewhere below, and returns the first stack on which cgoheap_walk and
// _Unwind_Backtrace disagree in a frame that both have, or else the last stack. Ours is empty in a program without package
// cgo. One call at a time.
func WalkBoth(below func()) Walks {
	C.victim_walks_forget()
	below()
	kept := C.victim_walks_kept()
	walks := Walks{Calls: int(kept.calls)}
	for _, pc := range kept.ours[:kept.ours_depth] {
		walks.Ours = append(walks.Ours, uintptr(pc))
	}
	for _, pc := range kept.theirs[:kept.theirs_depth] {
		walks.Theirs = append(walks.Theirs, uintptr(pc))
	}
	return walks
}

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

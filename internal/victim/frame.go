package victim

// #include "victim.h"
import "C"

import "unsafe"

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

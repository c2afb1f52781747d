package victim

// #include "victim.h"
import "C"

import "unsafe"

// SlideLeft and SlideRight allocate size bytes in one function that both call, through another whose frame lies further
// down the stack the further it is from theirs: so that malloc is called with the same stack pointer, and the frames between
// differ in nothing but where they are. The previous call's frames are still where they were.
func SlideLeft(size uintptr) unsafe.Pointer { return C.victim_slide_left(C.size_t(size)) }

// SlideRight returns the other of SlideLeft.
func SlideRight(size uintptr) unsafe.Pointer { return C.victim_slide_right(C.size_t(size)) }

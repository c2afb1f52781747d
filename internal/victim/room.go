package victim

// #include "victim.h"
import "C"

// MallocStackUse returns how many bytes of its thread's stack malloc writes to below its caller. One call at a time.
func MallocStackUse(size uintptr) uintptr { return uintptr(C.victim_malloc_stack_use(C.size_t(size))) }

package victim

// #include "victim.h"
import "C"

import "unsafe"

// Filtered runs a thread under a filter of system calls, of so many instructions. The thread allocates on stacks of each kind, in code
// that nothing describes, and in signal handlers; it maps and unmaps, and attaches a System V segment, also over other memory.
func Filtered(instructions unsafe.Pointer, count, segment int) error {
	return asError(C.victim_filtered(instructions, C.ushort(count), C.int(segment)))
}

package victim

// #include <stdlib.h>
// #include "victim.h"
import "C"

import "unsafe"

// OpenPool allocates a chunk of that many bytes with malloc, from which CarvePool carves.
func OpenPool(size uintptr) (chunk unsafe.Pointer) { return C.victim_pool_open(C.size_t(size)) }

// CarvePool reports a block of a kind; NULL is for "".
func CarvePool(size uintptr, kind string) unsafe.Pointer {
	if kind == "" {
		return C.victim_pool_carve(C.size_t(size), nil)
	}
	text := C.CString(kind)
	defer C.free(unsafe.Pointer(text))
	return C.victim_pool_carve(C.size_t(size), text)
}

// ReturnToPool reports that a block is freed.
func ReturnToPool(block unsafe.Pointer) { C.victim_pool_return(block) }

package victim

// #include "victim.h"
import "C"

import "unsafe"

// Kept says what C threads do at once: each allocates blocks of a size, then frees all but every so-manieth.
type Kept struct {
	Threads, Blocks, Every int
	Size                   uintptr
}

// Keep returns the blocks that are left. The threads have ended.
func Keep(k Kept) (left []unsafe.Pointer) {
	blocks := make([]unsafe.Pointer, k.Threads*k.Blocks)
	what := C.struct_victim_keep{threads: C.size_t(k.Threads), blocks: C.size_t(k.Blocks), size: C.size_t(k.Size), every: C.size_t(k.Every)}
	C.victim_keep(&what, &blocks[0])
	for _, b := range blocks {
		if b != nil {
			left = append(left, b)
		}
	}
	return left
}

// MallocInfo returns what glibc's malloc_info writes; false if libc has none.
func MallocInfo() (string, bool) {
	text := make([]byte, 1<<20)
	if C.victim_malloc_info((*C.char)(unsafe.Pointer(&text[0])), C.size_t(len(text))) != 0 {
		return "", false
	}
	return C.GoString((*C.char)(unsafe.Pointer(&text[0]))), true
}

// MapBlocksFrom has glibc map blocks one by one that have a number of bytes, and no longer change the number by itself.
func MapBlocksFrom(bytes int) { C.victim_map_blocks_from(C.int(bytes)) }

// AllowArenas sets how many arenas glibc may make.
func AllowArenas(n int) { C.victim_allow_arenas(C.int(n)) }

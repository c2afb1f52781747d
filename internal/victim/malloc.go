package victim

// #cgo CFLAGS: -Wall -O2 -fomit-frame-pointer
// #cgo CXXFLAGS: -Wall -O2 -fomit-frame-pointer
// #cgo LDFLAGS: -lpthread -ldl
// #include <stdlib.h>
// #include "victim.h"
import "C"

import (
	"errors"
	"syscall"
	"unsafe"
)

// Malloc allocates size bytes with malloc.
func Malloc(size uintptr) unsafe.Pointer { return C.victim_malloc(C.size_t(size)) }

// Calloc allocates count·size bytes with calloc.
func Calloc(count, size uintptr) unsafe.Pointer {
	return C.victim_calloc(C.size_t(count), C.size_t(size))
}

// Realloc makes block size bytes large with realloc: nil when that fails, and then block is as it was; for size 0 block is
// freed and nil returned, as glibc has it.
func Realloc(block unsafe.Pointer, size uintptr) unsafe.Pointer {
	return C.victim_realloc(block, C.size_t(size))
}

// Reallocarray makes block count·size bytes large with reallocarray, and like it fails on overflow.
func Reallocarray(block unsafe.Pointer, count, size uintptr) unsafe.Pointer {
	return C.victim_reallocarray(block, C.size_t(count), C.size_t(size))
}

// CallocErrno is Calloc and the errno that it set, 0 if none.
func CallocErrno(count, size uintptr) (unsafe.Pointer, syscall.Errno) {
	block, err := C.victim_calloc(C.size_t(count), C.size_t(size))
	return block, asErrno(err)
}

// ReallocarrayErrno is Reallocarray and the errno that it set.
func ReallocarrayErrno(block unsafe.Pointer, count, size uintptr) (unsafe.Pointer, syscall.Errno) {
	moved, err := C.victim_reallocarray(block, C.size_t(count), C.size_t(size))
	return moved, asErrno(err)
}

// asErrno returns the errno in the error that cgo returned.
func asErrno(err error) (errno syscall.Errno) {
	errors.As(err, &errno)
	return errno
}

// PosixMemalign allocates size bytes with posix_memalign.
func PosixMemalign(alignment, size uintptr) unsafe.Pointer {
	return C.victim_posix_memalign(C.size_t(alignment), C.size_t(size))
}

// AlignedAlloc allocates size bytes with aligned_alloc.
func AlignedAlloc(alignment, size uintptr) unsafe.Pointer {
	return C.victim_aligned_alloc(C.size_t(alignment), C.size_t(size))
}

// Memalign allocates size bytes with memalign.
func Memalign(alignment, size uintptr) unsafe.Pointer {
	return C.victim_memalign(C.size_t(alignment), C.size_t(size))
}

// Valloc allocates size bytes with valloc.
func Valloc(size uintptr) unsafe.Pointer { return C.victim_valloc(C.size_t(size)) }

// Pvalloc allocates size bytes with pvalloc, which may round size up to whole pages.
func Pvalloc(size uintptr) unsafe.Pointer { return C.victim_pvalloc(C.size_t(size)) }

// Free frees a block, or does nothing with nil.
func Free(block unsafe.Pointer) { C.victim_free(block) }

// MallocList allocates count blocks of size bytes, at least 8, with malloc, each holding the address of the next.
func MallocList(count, size uintptr) unsafe.Pointer {
	return C.victim_malloc_list(C.size_t(count), C.size_t(size))
}

// FreeList frees the blocks of a list.
func FreeList(list unsafe.Pointer) { C.victim_free_list(list) }

// A Way is a function of the malloc family that allocates, and the site that calls it.
type Way struct {
	Name, Site string
	Alignment  uintptr // of its blocks
	number     C.uint
}

// Ways returns all functions that allocate. Functions with an alignment parameter get 512, and sizes need not be multiples
// of it.
func Ways() []Way {
	var all []Way
	for n := C.uint(0); ; n++ {
		way := C.victim_way(n)
		if way.name == nil {
			return all
		}
		all = append(all, Way{C.GoString(way.name), C.GoString(way.site), uintptr(way.alignment), n})
	}
}

// Allocate allocates size bytes while errno is before, and returns what errno was after it.
func (w Way) Allocate(size uintptr, before syscall.Errno) (block unsafe.Pointer, after syscall.Errno) {
	outcome := C.victim_allocate(w.number, C.size_t(size), C.int(before))
	return outcome.block, syscall.Errno(outcome.error)
}

// A Release is a function of the malloc family that frees.
type Release struct {
	Name   string
	number C.uint
}

// Releases returns all functions that free.
func Releases() []Release {
	var all []Release
	for n := C.uint(0); ; n++ {
		name := C.victim_release_name(n)
		if name == nil {
			return all
		}
		all = append(all, Release{C.GoString(name), n})
	}
}

// Free frees a block of size bytes while errno is before, and returns what errno was after it.
func (r Release) Free(block unsafe.Pointer, size uintptr, before syscall.Errno) (after syscall.Errno) {
	return syscall.Errno(C.victim_release(r.number, block, C.size_t(size), C.int(before)))
}

// Resident returns how many bytes of a block, in whole pages, are in memory.
func Resident(block unsafe.Pointer, size uintptr) uintptr {
	return uintptr(C.victim_resident(block, C.size_t(size)))
}

// MallocPastHooks allocates with libc's malloc, whatever hooks it. It returns nil if that malloc has no other name.
func MallocPastHooks(size uintptr) unsafe.Pointer { return C.victim_past_hooks(C.size_t(size)) }

// FreePastHooks frees with libc's free, whatever hooks it. It returns false if that free has no other name.
func FreePastHooks(block unsafe.Pointer) bool { return C.victim_free_past_hooks(block) == 0 }

// FunctionAt returns the C function that an address is in; "" if its name is not known here. Known are the sites that run on
// threads of their own, and what libraries export.
func FunctionAt(address uint64) string {
	return C.GoString(C.victim_function_at(C.uintptr_t(address)))
}

// Brought are the functions of an allocator with the prefix je_ that allocate, by the names of the sites that call them. Those
// that resize take a block.
var Brought = map[string]func(block unsafe.Pointer, size uintptr) unsafe.Pointer{
	"victim_je_malloc":         func(p unsafe.Pointer, n uintptr) unsafe.Pointer { return C.victim_je_malloc(p, C.size_t(n)) },
	"victim_je_calloc":         func(p unsafe.Pointer, n uintptr) unsafe.Pointer { return C.victim_je_calloc(p, C.size_t(n)) },
	"victim_je_aligned_alloc":  func(p unsafe.Pointer, n uintptr) unsafe.Pointer { return C.victim_je_aligned_alloc(p, C.size_t(n)) },
	"victim_je_posix_memalign": func(p unsafe.Pointer, n uintptr) unsafe.Pointer { return C.victim_je_posix_memalign(p, C.size_t(n)) },
	"victim_je_mallocx":        func(p unsafe.Pointer, n uintptr) unsafe.Pointer { return C.victim_je_mallocx(p, C.size_t(n)) },
	"victim_je_realloc":        func(p unsafe.Pointer, n uintptr) unsafe.Pointer { return C.victim_je_realloc(p, C.size_t(n)) },
	"victim_je_rallocx":        func(p unsafe.Pointer, n uintptr) unsafe.Pointer { return C.victim_je_rallocx(p, C.size_t(n)) },
	"victim_je_xallocx":        func(p unsafe.Pointer, n uintptr) unsafe.Pointer { return C.victim_je_xallocx(p, C.size_t(n)) },
}

// BroughtFrees are its functions that free.
var BroughtFrees = []func(block unsafe.Pointer, size uintptr){
	func(p unsafe.Pointer, _ uintptr) { C.victim_je_free(p) },
	func(p unsafe.Pointer, _ uintptr) { C.victim_je_dallocx(p) },
	func(p unsafe.Pointer, n uintptr) { C.victim_je_sdallocx(p, C.size_t(n)) },
}

// Strdup copies a string of that length, at most 4000: libc allocates length + 1 bytes.
func Strdup(length uintptr) unsafe.Pointer {
	return unsafe.Pointer(C.victim_strdup(C.size_t(length)))
}

// Getline reads a line of that length, from 1 to 4000, and returns it with the bytes that getline says it allocated for
// it. A line of up to 119 bytes is allocated once.
func Getline(length uintptr) (line unsafe.Pointer, bytes int64) {
	var held C.size_t
	line = unsafe.Pointer(C.victim_getline(C.size_t(length), &held))
	return line, int64(held)
}

// Asprintf prints length bytes: libc keeps length + 1 bytes, which it may allocate in several steps.
func Asprintf(length uintptr) unsafe.Pointer {
	return unsafe.Pointer(C.victim_asprintf(C.size_t(length)))
}

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

// Lose allocates a block that nothing points to. At most 1024 are lost, and as many cached.
func Lose(size uintptr) { C.victim_lose(C.size_t(size)) }

// CachePut allocates a block that a global array points to, victim_cache.
func CachePut(size uintptr) { C.victim_cache_put(C.size_t(size)) }

// FifoPush allocates a block of a list that begins in a global, victim_fifo.
func FifoPush(size uintptr) { C.victim_fifo_push(C.size_t(size)) }

// FreeHeld frees all of these.
func FreeHeld() { C.victim_held_free() }

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

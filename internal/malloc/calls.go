//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

// #include <stdbool.h>
// #include <stddef.h>
// #include <stdint.h>
// #include <stdlib.h>
//
// static void trim(void *malloc_trim) { ((int (*)(size_t))malloc_trim)(0); }
//
// // As glibc 2.33 and later have it; musl's headers have none.
// struct info {
//	size_t arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost;
// };
// static struct info info(void *mallinfo2) { return ((struct info(*)(void))mallinfo2)(); }
//
// typedef int control(const char *, void *, size_t *, void *, size_t);
//
// static int control_read(void *mallctl, const char *name, uint64_t *value, size_t bytes)
// {
//	*value = 0; // both machines store the low bytes first
//	return ((control *)mallctl)(name, value, &bytes, NULL, 0);
// }
//
// static int control_write(void *mallctl, const char *name, uint64_t value)
// {
//	return ((control *)mallctl)(name, NULL, NULL, &value, sizeof value);
// }
//
// static int control_do(void *mallctl, const char *name)
// {
//	return ((control *)mallctl)(name, NULL, NULL, NULL, 0);
// }
//
// static bool property(void *get, const char *name, size_t *value)
// {
//	return ((int (*)(const char *, size_t *))get)(name, value) != 0;
// }
//
// static void release(void *f) { ((void (*)(void))f)(); }
//
// static size_t committed(void *process_info)
// {
//	size_t unused, committed = 0;
//	((void (*)(size_t *, size_t *, size_t *, size_t *, size_t *, size_t *, size_t *, size_t *))process_info)(
//		&unused, &unused, &unused, &unused, &unused, &committed, &unused, &unused);
//	return committed;
// }
//
// static size_t nallocx(void *f, size_t size) { return ((size_t (*)(size_t, int))f)(size, 0); }
//
// static size_t good_size(void *f, size_t size) { return ((size_t (*)(size_t))f)(size); }
//
// static void collect(void *f) { ((void (*)(bool))f)(true); }
import "C"

import (
	"syscall"
	"unsafe"
)

// function is a function of an allocator, as package cgo finds it. Most of them take the allocator's locks.
type function = unsafe.Pointer

// trim calls glibc's malloc_trim(0).
func trim(f function) { C.trim(f) }

// glibcSums are what mallinfo2 reports: bytes in all arenas, and of blocks that are mapped one by one.
type glibcSums struct {
	inUse, free uint64
	apart       apartCounts
}

// mallinfo2 calls glibc's mallinfo2. It locks one arena after the other while it counts its free chunks.
func mallinfo2(f function) glibcSums {
	i := C.info(f)
	return glibcSums{uint64(i.uordblks), uint64(i.fordblks), apartCounts{uint64(i.hblks), uint64(i.hblkhd)}}
}

// mallctl calls jemalloc's mallctl to read an unsigned number of 4 or 8 bytes.
func mallctl(f function, name string, bytes int) (uint64, error) {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	var value C.uint64_t
	failed := C.control_read(f, s, &value, C.size_t(bytes))
	return uint64(value), errnoOf(failed)
}

// mallctlWrite calls jemalloc's mallctl to write a number of 8 bytes.
func mallctlWrite(f function, name string, value uint64) error {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	return errnoOf(C.control_write(f, s, C.uint64_t(value)))
}

// mallctlDo calls jemalloc's mallctl for an action.
func mallctlDo(f function, name string) error {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	return errnoOf(C.control_do(f, s))
}

func errnoOf(failed C.int) error {
	if failed == 0 {
		return nil
	}
	return syscall.Errno(failed)
}

// property reads a property of tcmalloc's MallocExtension; false if it has no such property.
func property(f function, name string) (uint64, bool) {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	var value C.size_t
	found := C.property(f, s, &value)
	return uint64(value), bool(found)
}

// release calls tcmalloc's MallocExtension_ReleaseFreeMemory.
func release(f function) { C.release(f) }

// committed calls mimalloc's mi_process_info: bytes committed.
func committed(f function) uint64 { return uint64(C.committed(f)) }

// collect calls mimalloc's mi_collect(true).
func collect(f function) { C.collect(f) }

// nallocx calls jemalloc's nallocx, which tcmalloc has too: the size of a block for a size above 0. It takes no lock.
func nallocx(f function, size uint64) uint64 { return uint64(C.nallocx(f, C.size_t(size))) }

// goodSize calls mimalloc's mi_good_size, which returns the same.
func goodSize(f function, size uint64) uint64 { return uint64(C.good_size(f, C.size_t(size))) }

package victim

// #include "victim.h"
import "C"

import "unsafe"

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

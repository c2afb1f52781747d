package victim

// #cgo LDFLAGS: -lstdc++
// #include "victim.h"
import "C"

import "unsafe"

// New allocates size bytes with operator new, for Delete.
func New(size uintptr) unsafe.Pointer { return C.victim_cxx_new(C.size_t(size)) }

// Delete releases a block with operator delete.
func Delete(block unsafe.Pointer) { C.victim_cxx_delete(block) }

// NewArray allocates size bytes with operator new[], for DeleteArray.
func NewArray(size uintptr) unsafe.Pointer { return C.victim_cxx_new_array(C.size_t(size)) }

// DeleteArray releases an array with operator delete[].
func DeleteArray(array unsafe.Pointer) { C.victim_cxx_delete_array(array) }

// MakeInts allocates 4·count bytes in victim::make_array<int>, for DeleteArray.
func MakeInts(count uintptr) unsafe.Pointer { return C.victim_cxx_make_ints(C.size_t(count)) }

// MakeDoubles allocates 8·count bytes in victim::make_array<double>, for DeleteArray.
func MakeDoubles(count uintptr) unsafe.Pointer { return C.victim_cxx_make_doubles(C.size_t(count)) }

// Inlined allocates size bytes in victim::inlined_helper, which is part of victim::caller_of_inlined.
func Inlined(size uintptr) unsafe.Pointer { return C.victim_cxx_inlined(C.size_t(size)) }

// Vector is a std::vector of 8-byte elements, with the amounts that it allocated while it grew.
type Vector struct {
	pointer        unsafe.Pointer
	Growths, Bytes int64 // allocations, and their bytes in all
	Held           int64 // bytes of the last one, the only one not released
}

// GrowVector appends count elements to an empty vector, one by one. At most 1024 vectors live at a time.
func GrowVector(count uintptr) Vector {
	grown := C.victim_cxx_grow_vector(C.size_t(count))
	return Vector{grown.vector, int64(grown.growths), int64(grown.bytes), int64(grown.held)}
}

// Clear releases what the vector holds.
func (v Vector) Clear() { C.victim_cxx_clear_vector(v.pointer) }

// String allocates length + 1 bytes in a std::string, for ClearString; length is at least 16. At most 1024 strings live
// at a time.
func String(length uintptr) unsafe.Pointer { return C.victim_cxx_string(C.size_t(length)) }

// ClearString releases what the string holds.
func ClearString(s unsafe.Pointer) { C.victim_cxx_clear_string(s) }

// ThrowAndCatch throws an exception through depth frames, each of which allocates size bytes and releases them while it is
// unwound. The blocks it returns, of size bytes, were allocated before the throw and after the catch.
func ThrowAndCatch(depth int, size uintptr) (before, after unsafe.Pointer) {
	pair := C.victim_cxx_throw_and_catch(C.uint(depth), C.size_t(size))
	return pair.first, pair.second
}

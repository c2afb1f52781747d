package victim

// #cgo LDFLAGS: -lstdc++
// #define _GNU_SOURCE
// #include <dlfcn.h>
// #include <stdlib.h>
// #include "victim.h"
// #ifndef RTLD_DEEPBIND
// #define RTLD_DEEPBIND 0
// #endif
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

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

// JIT is a page of code that was made at run time.
type JIT struct{ page unsafe.Pointer }

// NewJIT makes code at an address that nothing is mapped at, or anywhere for 0. The code keeps a frame pointer or leaves
// the register alone. It returns false if that fails.
func NewJIT(at uint64, framePointer bool) (JIT, bool) {
	keeps := C.int(0)
	if framePointer {
		keeps = 1
	}
	page := C.victim_jit_make(C.uintptr_t(at), keeps)
	return JIT{page}, page != nil
}

// Malloc allocates size bytes in the code, which victim_jit_call calls.
func (j JIT) Malloc(size uintptr) unsafe.Pointer { return C.victim_jit_call(j.page, C.size_t(size)) }

// Address returns where the code begins.
func (j JIT) Address() uint64 { return uint64(uintptr(j.page)) }

// Holds reports whether an address is in the code.
func (j JIT) Holds(address uint64) bool { return address-uint64(uintptr(j.page)) < 64 }

// NewJITChain makes code that takes its frame pointer as an argument: see MallocChain.
func NewJITChain() (JIT, bool) {
	page := C.victim_jit_copy()
	return JIT{page}, page != nil
}

// MallocChain allocates size bytes in the code of NewJITChain, which victim_made_chain calls.
func (j JIT) MallocChain(chain Chain, size uintptr) unsafe.Pointer {
	return C.victim_made_chain(j.page, uint32(chain), C.size_t(size))
}

// NewJITAround makes code that keeps a frame pointer and calls other code that NewJITAround made, or malloc for none.
func NewJITAround(inner JIT) (JIT, bool) {
	page := C.victim_jit_around(inner.page)
	return JIT{page}, page != nil
}

// MallocAround allocates size bytes in the code of NewJITAround, which victim_jit_call_around calls.
func (j JIT) MallocAround(size uintptr) unsafe.Pointer {
	return C.victim_jit_call_around(j.page, C.size_t(size))
}

// Drop unmaps the code.
func (j JIT) Drop() { C.victim_jit_drop(j.page) }

// Plugin is a dlopened library.
type Plugin struct {
	handle unsafe.Pointer
}

// A Scope is a flag of dlopen that decides whose functions a library calls by a name, and who calls its own.
type Scope int

// The scopes of dlopen.
const (
	Local    Scope = C.RTLD_LOCAL    // the program's first; nobody calls its own
	Global   Scope = C.RTLD_GLOBAL   // the program's first; libraries that are opened later may call its own
	DeepBind Scope = C.RTLD_DEEPBIND // those of itself and of the libraries it was linked with; 0 where libc has no such thing
)

// OpenPlugin loads a library with dlopen, for itself.
func OpenPlugin(path string) (Plugin, error) { return OpenPluginIn(path, Local) }

// OpenPluginIn loads a library with dlopen.
func OpenPluginIn(path string, scope Scope) (Plugin, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	handle := C.victim_plugin_open(name, C.int(scope))
	if handle == nil {
		return Plugin{}, fmt.Errorf("loading %s: %w", path, errors.New(C.GoString(C.victim_plugin_error())))
	}
	return Plugin{handle}, nil
}

// Call calls the library's void *name(size_t), and returns nil when there is none.
func (p Plugin) Call(name string, size uintptr) unsafe.Pointer {
	symbol := C.CString(name)
	defer C.free(unsafe.Pointer(symbol))
	return C.victim_plugin_call(p.handle, symbol, C.size_t(size))
}

// A PluginFunction is a library's void *name(size_t).
type PluginFunction struct {
	address unsafe.Pointer
}

// Find looks up a function that the library has.
func (p Plugin) Find(name string) PluginFunction {
	symbol := C.CString(name)
	defer C.free(unsafe.Pointer(symbol))
	return PluginFunction{C.victim_plugin_find(p.handle, symbol)}
}

// Call calls the function, and allocates nothing but what that does.
func (f PluginFunction) Call(size uintptr) unsafe.Pointer {
	return C.victim_plugin_call_found(f.address, C.size_t(size))
}

// Close unloads the library.
func (p Plugin) Close() { C.victim_plugin_close(p.handle) }

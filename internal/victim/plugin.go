package victim

// #define _GNU_SOURCE
// #include <dlfcn.h>
// #include <stdlib.h>
// #ifndef RTLD_DEEPBIND
// #define RTLD_DEEPBIND 0
// #endif
// #include "victim.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

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

//go:build linux && cgo

package victim

// #include <stdlib.h>
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

// OpenPlugin loads a library with dlopen.
func OpenPlugin(path string) (Plugin, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	handle := C.victim_plugin_open(name)
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

// Close unloads the library.
func (p Plugin) Close() { C.victim_plugin_close(p.handle) }

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "objects.h"
// #include "region.h"
import "C"

import (
	"encoding/hex"
	"unsafe"
)

// Object is a library as a walk met it.
type Object struct {
	Start, Limit         uint64 // of its mapping
	CodeStart, CodeLimit uint64 // of its executable segments
	Bias                 uint64
	BuildID              string // lower-case hex; "" if it has none
	Path                 string // as the loader lists it; "" if it was too long
	loads                uint64
}

// ParseObject reads an object of layout.SizeofObject bytes as it lies in the region; false if there is none.
func ParseObject(bytes []byte) (Object, bool) {
	if len(bytes) < C.sizeof_struct_object {
		return Object{}, false
	}
	var o C.struct_object
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&o)), C.sizeof_struct_object), bytes)
	if int(o.is.id_size) > len(o.is.id) || int(o.is.path_size) > len(o.is.path) {
		return Object{}, false
	}
	id, path := C.GoBytes(unsafe.Pointer(&o.is.id[0]), C.int(o.is.id_size)), C.GoStringN(&o.is.path[0], C.int(o.is.path_size))
	return Object{Start: uint64(o.is.start), Limit: uint64(o.is.limit), CodeStart: uint64(o.is.code_start),
		CodeLimit: uint64(o.is.code_limit), Bias: uint64(o.is.bias), BuildID: hex.EncodeToString(id), Path: path,
		loads: uint64(o.loads)}, true
}

// During reports whether the object was there when the loads were read, and no library has been loaded or closed since
// then.
func (o *Object) During(l *Loads) bool {
	loads := (*C.struct_loads)(l)
	then := uint64(C.loads_then(loads))
	return then != 0 && o.loads == then && uint64(C.loads_now(loads)) == then
}

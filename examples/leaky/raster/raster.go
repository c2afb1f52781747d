package raster

// #cgo CXXFLAGS: -std=c++17 -O2 -g -fomit-frame-pointer -Wall
// #include "raster.h"
import "C"

import (
	"errors"
	"unsafe"
)

// Shrink renders an encoded picture at most width pixels wide. It holds no native memory when it returns.
func Shrink(picture []byte, width int) ([]byte, error) {
	return take(C.raster_shrink(start(picture), C.size_t(len(picture)), C.int(width)))
}

// take copies a result into Go memory and frees its native copy.
func take(result C.struct_raster_result) ([]byte, error) {
	if result.bytes == nil {
		return nil, errors.New(C.GoString(&result.error[0]))
	}
	defer C.raster_result_free(&result)
	return C.GoBytes(unsafe.Pointer(result.bytes), C.int(result.size)), nil
}

func start(picture []byte) *C.uint8_t {
	return (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(picture)))
}

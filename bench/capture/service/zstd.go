//go:build service

package main

// #cgo LDFLAGS: -lzstd
// #include <zstd.h>
import "C"

import (
	"bytes"
	"errors"
	"unsafe"
)

// compress compresses a document and reads it again, each with a context of its own, as the simple functions do.
func compress() (func() error, error) {
	text := document()
	packed := make([]byte, int(C.ZSTD_compressBound(C.size_t(len(text)))))
	unpacked := make([]byte, len(text))
	return func() error {
		n := C.ZSTD_compress(unsafe.Pointer(&packed[0]), C.size_t(len(packed)), unsafe.Pointer(&text[0]), C.size_t(len(text)), 3)
		if C.ZSTD_isError(n) != 0 {
			return errors.New("zstd does not compress")
		}
		C.ZSTD_decompress(unsafe.Pointer(&unpacked[0]), C.size_t(len(unpacked)), unsafe.Pointer(&packed[0]), n)
		if !bytes.Equal(unpacked, text) {
			return errors.New("zstd reads something other than it wrote")
		}
		return nil
	}, nil
}

//go:build rss

// Command numpy embeds CPython, whose threads make objects, and arrays with numpy.
package main

/*
#cgo pkg-config: python3-embed
#cgo CFLAGS: -O2 -Wall
#include "python.h"
*/
import "C"

import (
	_ "embed"
	"errors"
	"unsafe"

	"github.com/cgoheap/cgoheap/e2e/rss/audit"
)

//go:embed work.py
var script string

var errPython = errors.New("an exception in Python")

func main() { audit.Main(audit.Load{Threads: 4, Warm: 5, Prepare: prepare, Round: round}) }

func prepare() error {
	text := C.CString(script)
	defer C.free(unsafe.Pointer(text))
	if C.python_begin(text) != 0 {
		return errPython
	}
	return nil
}

func round(thread int) error {
	if C.python_round(C.int(thread)) != 0 {
		return errPython
	}
	return nil
}

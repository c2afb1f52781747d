//go:build rss

// Command luajit runs Lua in an interpreter for each thread. LuaJIT compiles its loops, and maps its memory itself.
package main

/*
#cgo pkg-config: luajit
#cgo CFLAGS: -O2 -Wall
#include "script.h"
*/
import "C"

import (
	_ "embed"
	"errors"
	"unsafe"

	"github.com/cgoheap/cgoheap/e2e/rss/audit"
)

const threads = 4

//go:embed work.lua
var script string

var states [threads]unsafe.Pointer

func main() { audit.Main(audit.Load{Threads: threads, Warm: 5, Prepare: prepare, Round: round}) }

func prepare() error {
	text := C.CString(script)
	defer C.free(unsafe.Pointer(text))
	for i := range states {
		if states[i] = C.script_load(text); states[i] == nil {
			return errors.New("the script cannot be loaded")
		}
	}
	return nil
}

func round(thread int) error {
	if C.script_round(states[thread]) != 0 {
		return errors.New("an error in Lua")
	}
	return nil
}

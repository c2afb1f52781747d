package main

// #include <stdint.h>
import "C"

import (
	"fmt"
	"os"

	"github.com/cgoheap/cgoheap"
)

var preloaded *cgoheap.Profiler

// device_start begins to record in a program that this is preloaded to. 0 if it does.
//
//export device_start
func device_start() C.int {
	var err error
	if preloaded, err = cgoheap.Start(cgoheap.Config{}); err != nil {
		fmt.Fprintln(os.Stderr, "device:", err)
		return 1
	}
	return 0
}

// device_recorded returns the bytes of the kind cuda that are in use on a device; -1 if that cannot be known.
//
//export device_recorded
func device_recorded(n C.int) C.int64_t {
	in, err := recorded(preloaded, "cuda", fmt.Sprintf("GPU %d", n))
	if err != nil {
		fmt.Fprintln(os.Stderr, "device:", err)
		return -1
	}
	return C.int64_t(in.bytes)
}

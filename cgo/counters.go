//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include <string.h>
// #include "counters.h"
import "C"

import (
	"sync"
	"unsafe"
)

// Counter is one of the counters of the C code: its name and a sentence for a person. Loss marks counters of what is missing
// from the profile.
type Counter struct {
	Name, Sentence string
	Loss           bool
}

// Counters returns all counters, in the order of enum counter in counters.h.
var Counters = sync.OnceValue(func() []Counter {
	list := make([]Counter, C.COUNTS)
	for i, c := range &C.cgoheap_counters {
		list[i] = Counter{Name: constant(c.name), Sentence: constant(c.sentence), Loss: bool(c.loss)}
	}
	return list
})

// constant returns a C string that is never freed.
func constant(s *C.char) string {
	return unsafe.String((*byte)(unsafe.Pointer(s)), int(C.strlen(s)))
}

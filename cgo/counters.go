//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "counters.h"
import "C"

import "github.com/cgoheap/cgoheap/internal/layout"

// counters returns the list of counters.h, for package layout.
func counters() []layout.Counter {
	list := make([]layout.Counter, C.COUNTS)
	for i, c := range &C.cgoheap_counters {
		list[i] = layout.Counter{Name: C.GoString(c.name), Sentence: C.GoString(c.sentence), Loss: bool(c.loss)}
	}
	return list
}

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "clock.h"
// #include "lifetimes.h"
import "C"

import (
	"time"

	"github.com/cgoheap/cgoheap/internal/layout"
)

// Tick is the unit of the times at which blocks were allocated.
const Tick time.Duration = layout.Tick

// Ticks returns the ticks since the recording began, with which blocks are stamped.
func Ticks() uint64 { return uint64(C.clock_ticks()) }

// Lifetimes returns the longest lifetime of each class that sites keep; a block counts in the first class that it fits.
func Lifetimes() []time.Duration {
	list := make([]time.Duration, len(C.cgoheap_lifetimes))
	for i, longest := range C.cgoheap_lifetimes {
		list[i] = time.Duration(longest)
	}
	return list
}

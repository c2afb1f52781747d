//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "clock.h"
// #include "lifetimes.h"
import "C"

import "time"

// Tick is the unit of the times at which blocks were allocated.
const Tick time.Duration = 1 << C.CLOCK_TICK_BITS

// Ticks since the recording began, as blocks are stamped with them.
func Ticks() uint64 { return uint64(C.clock_ticks()) }

// Lifetimes are the classes of lifetimes that sites keep: the longest of each; a block counts in the first that it fits.
func Lifetimes() []time.Duration {
	list := make([]time.Duration, len(C.cgoheap_lifetimes))
	for i, longest := range C.cgoheap_lifetimes {
		list[i] = time.Duration(longest)
	}
	return list
}

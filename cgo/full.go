//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "gate.h"
import "C"

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// FillGate takes all places of the gate, for tests: until release, nothing is recorded.
func FillGate() (release func()) {
	const inside = 2 // GATE_INSIDE(0)
	by := func(place int) *uint32 { return (*uint32)(unsafe.Pointer(&C.cgoheap_inside[place])) }
	for place := range C.cgoheap_inside {
		for !atomic.CompareAndSwapUint32(by(place), C.GATE_VACANT, inside) {
			runtime.Gosched()
		}
	}
	return func() {
		for place := range C.cgoheap_inside {
			atomic.StoreUint32(by(place), C.GATE_VACANT)
		}
	}
}

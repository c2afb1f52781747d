//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "bounds.h"
// #include "gate.h"
// #include "lookup.h"
// #include "objects.h"
// #include "probe.h"
import "C"

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/testonly"
)

func init() {
	testonly.AllowBounds = func(allow bool) { C.bounds_allow(C.bool(allow)) }
	testonly.AllowObjects = func(allow bool) bool { return bool(C.objects_allow(C.bool(allow))) }
	testonly.FillGate = fillGate
	testonly.GoParts = goParts
	testonly.Hold = hold
	testonly.RuleAt = func(address uint64) testonly.Rule {
		return *(*testonly.Rule)(unsafe.Pointer(C.index_rule(C.uintptr_t(address))))
	}
}

// A rule has the size that tests know.
var _ testonly.Rule = [C.sizeof_struct_rule]byte{}

func hold(slots int) (release func(), entered bool) {
	entered = bool(C.probe_enter(C.uint32_t(slots)))
	return func() { C.probe_leave() }, entered
}

func fillGate() (release func()) {
	const inside = 2 // GATE_INSIDE(0)
	by := func(slot int) *uint32 { return (*uint32)(unsafe.Pointer(&C.cgoheap_inside[slot])) }
	for slot := range C.cgoheap_inside {
		for !atomic.CompareAndSwapUint32(by(slot), C.GATE_VACANT, inside) {
			runtime.Gosched()
		}
	}
	return func() {
		for slot := range C.cgoheap_inside {
			atomic.StoreUint32(by(slot), C.GATE_VACANT)
		}
	}
}

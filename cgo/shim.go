//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #cgo CFLAGS: -Wall -O2 -fno-omit-frame-pointer -ftls-model=initial-exec -fvisibility=hidden -fno-plt
// #cgo LDFLAGS: -lpthread -ldl
// #cgo cgoheap_wrap CFLAGS: -DCGOHEAP_WRAP
// #cgo cgoheap_wrap LDFLAGS: -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=reallocarray
// #cgo cgoheap_wrap LDFLAGS: -Wl,--wrap=free -Wl,--wrap=cfree -Wl,--wrap=free_sized -Wl,--wrap=free_aligned_sized
// #cgo cgoheap_wrap LDFLAGS: -Wl,--wrap=posix_memalign -Wl,--wrap=aligned_alloc -Wl,--wrap=memalign -Wl,--wrap=valloc
// #cgo cgoheap_wrap LDFLAGS: -Wl,--wrap=pvalloc
// #cgo cgoheap_operators,!cgoheap_wrap CFLAGS: -DCGOHEAP_OPERATORS -fexceptions
// #cgo cgoheap_operators,!cgoheap_wrap CXXFLAGS: -Wall -O2 -fno-omit-frame-pointer -fvisibility=hidden -fno-plt -fPIC
// #include "control.h"
// #include "gate.h"
// #include "probe.h"
// #include "real.h"
import "C"

import (
	"errors"
	"fmt"
	"syscall"
	"time"
	"unsafe"
)

// Options of one recording.
type Options struct {
	TableBytes  int64  // size of the region
	SampleBytes int64  // mean bytes between samples; 1 records everything
	MaxDepth    int    // frames kept per stack
	Seed        uint64 // of the gaps; the same seed draws the same gaps on the same threads
	ThreadNames bool   // samples have the label "thread"
}

// Supported says why this process cannot record; nil if it can.
func Supported() error {
	var object *C.char
	switch C.real_refusal(&object) {
	case C.REFUSAL_SANITIZED:
		return errors.New("recording needs malloc, and the C code was compiled with -fsanitize, which takes it")
	case C.REFUSAL_NO_MALLOC:
		return errors.New("recording needs a malloc to stand before, and no library has the whole family")
	case C.REFUSAL_DYNAMIC:
		return errors.New("this was built with the tag cgoheap_wrap, which is for static executables, but linked dynamically")
	case C.REFUSAL_BEHIND:
		return behind(C.GoString(object))
	}
	return nil
}

// Seen says who allocates from the program's allocator past the hooks; nil if nobody does.
func Seen() error {
	var object *C.char
	if C.real_unseen_new(&object) {
		return fmt.Errorf("%s; the build tag cgoheap_operators, with libstdc++ as a library, makes it be seen", C.GoString(object))
	}
	return nil
}

// behind is the reason where the loader finds another malloc first: it searches the executable, then what is preloaded,
// then libraries in the order in which they are linked, and last what is opened later.
func behind(object string) error {
	return fmt.Errorf("recording needs to be first in line for malloc, but the program calls that of %s: "+
		"link the library that contains this code with the program, and before any other allocator, or record there if that "+
		"contains cgoheap as well", object)
}

// Prepare opens the region. Nothing is recorded before Start.
func Prepare(o Options) error {
	options := C.struct_options{
		table_bytes:  C.uint64_t(o.TableBytes),
		sample_bytes: C.uint64_t(o.SampleBytes),
		seed:         C.uint64_t(o.Seed),
		max_depth:    C.uint32_t(o.MaxDepth),
	}
	if o.ThreadNames {
		options.thread_names = 1
	}
	if failed := C.cgoheap_prepare(&options); failed != 0 {
		return fmt.Errorf("mapping %d bytes for the profiler's tables: %w", o.TableBytes, syscall.Errno(failed))
	}
	return nil
}

// Start begins to record.
func Start() { C.cgoheap_start() }

// Stop ends the recording and gives the region's memory back; what Region gave must not be read any more. False if a
// thread that is stopped in the middle of recording kept it from doing so.
func Stop() bool { return bool(C.cgoheap_stop()) }

// Settle makes the bases of all sites the exact state of one moment during the call, and lets what was published before
// it go. One caller at a time. False if a thread that is stopped in the middle of recording prevented it; the bases then
// keep the state of the last success.
func Settle() bool { return bool(C.cgoheap_settle()) }

// Crowd is the number of threads inside of hooks, which record; of few processors, more of them than run.
func Crowd() int { return int(C.gate_crowd()) }

// Hold enters so many places of the gate, as if so many threads had been stopped there; release leaves them. False if there are
// not as many. For tests; one at a time.
func Hold(places int) (release func(), entered bool) {
	entered = bool(C.probe_enter(C.uint32_t(places)))
	return func() { C.probe_leave() }, entered
}

// GiveWay asks threads that record to leave processors to the caller for a time, or not any more, for 0.
func GiveWay(d time.Duration) { C.gate_give_way(C.uint64_t(d)) }

// SetSampleBytes changes the mean gap between samples: each thread goes over to it at its next sample. While recording.
func SetSampleBytes(n int64) { C.cgoheap_set_sample_bytes(C.uint64_t(n)) }

// Region is the shim's memory, in place: it changes while it is read. It is never longer than what is mapped.
func Region() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(C.cgoheap_region)), min(C.cgoheap_region.size, C.cgoheap_mapped))
}

// Reserve takes zeroed bytes from the region's unused part: their offset, or false when it is full.
func Reserve(size int) (uint64, bool) {
	at := uint64(C.region_reserve(C.uint64_t(size)))
	if most := uint64(len(Region())); at > most || uint64(size) > most-at { // the header was overwritten
		return 0, false
	}
	return at, at != 0
}

// Counters that are of use beyond what they say.
const (
	CountStacks = C.COUNT_STACKS
	CountSites  = C.COUNT_SITES
	CountEnd    = C.COUNT_END // counters of stacks, one for each enum end, the first being that of whole ones
	Ends        = C.ENDS
)

// Counted is what the shim has counted under Counters()[i].
func Counted(i int) uint64 { return uint64(C.cgoheap_counted(C.enum_counter(i))) }

// Publish puts the index at offset in place of the current one.
func Publish(index uint64) { C.cgoheap_publish(C.uint64_t(index)) }

// Rearm lets the next samples ask the waker again, once for each reason.
func Rearm() { C.cgoheap_rearm() }

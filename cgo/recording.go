//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #cgo CFLAGS: -Wall -O2 -fno-omit-frame-pointer -ftls-model=initial-exec -fvisibility=hidden -fno-plt -fno-lto
// #cgo CPPFLAGS: -include names.h
// #cgo LDFLAGS: -lpthread -ldl
// #cgo cgoheap_operators,!cgoheap_wrap CFLAGS: -DCGOHEAP_OPERATORS -fexceptions
// #cgo cgoheap_operators,!cgoheap_wrap CXXFLAGS: -Wall -O2 -fno-omit-frame-pointer -fvisibility=hidden -fno-plt -fPIC
// #include "box.h"
// #include "cgoheap.h"
// #include "clock.h"
// #include "control.h"
// #include "counters.h"
// #include "gate.h"
// #include "peak.h"
// #include "real.h"
// #include "scratch.h"
// #include "waker.h"
// #include <stdint.h>
// #include <stdlib.h>
//
// extern void cgoheap_go_allocated(void *p, size_t size, const char *kind, size_t kind_size);
// static void freed(uintptr_t p) { cgoheap_freed((void *)p); }
// static void pool(uintptr_t chunk) { cgoheap_pool((void *)chunk); }
// static void allocated(uintptr_t p, size_t size, const char *kind, size_t kind_size)
// {
// 	cgoheap_go_allocated((void *)p, size, kind, kind_size);
// }
import "C"

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/layout"
)

// Options of one recording.
type Options struct {
	TableBytes  int64  // size of the region
	SampleBytes int64  // mean bytes between samples; 1 records everything
	MaxDepth    int    // frames kept per stack
	Seed        uint64 // of the random draws; with the same seed, the same threads draw the same numbers
	ThreadNames bool   // samples have the label "thread"
	File        *File  // that the region shall lie in; nil for none
}

// File is a file of TableBytes zeroes, mapped.
type File struct {
	Pages         unsafe.Pointer // Prepare takes them, also if it fails
	Path          string
	Device, Inode uint64
}

// Supported returns why this process cannot record; nil if it can.
func Supported() error {
	var object *C.char
	switch C.real_refusal(&object) {
	case C.REFUSAL_SANITIZED:
		return errors.New("recording needs malloc, and the C code was compiled with -fsanitize, which takes it")
	case C.REFUSAL_NO_MALLOC:
		return errors.New("recording needs another malloc behind its own, and no library has the whole family")
	case C.REFUSAL_STATIC:
		return errors.New("a statically linked program must be built with the tag cgoheap_wrap: without it, the profiler cannot stand " +
			"between the program and its malloc")
	case C.REFUSAL_DYNAMIC:
		return errors.New("this was built with the tag cgoheap_wrap, which is for static executables, but linked dynamically")
	case C.REFUSAL_CONTAINED:
		return fmt.Errorf("recording needs to stand before malloc and its like, but %s contains its own, from an archive or an "+
			"object file: link that allocator as a shared library, or the whole program statically, with the tag cgoheap_wrap",
			C.GoString(object))
	case C.REFUSAL_BEHIND:
		return behind(C.GoString(object))
	}
	return nil
}

// UnseenOperators returns an error that names the library whose operator new bypasses the hooks; nil if none does.
func UnseenOperators() error {
	var object *C.char
	if C.real_unseen_new(&object) {
		return fmt.Errorf("%s; build with the tag cgoheap_operators and link libstdc++ dynamically, so that it is seen", C.GoString(object))
	}
	return nil
}

// behind returns the error for a process in which the loader finds another malloc first. It searches the executable, then
// preloaded libraries, then linked libraries in their order, and last those that are opened later.
func behind(object string) error {
	return fmt.Errorf("recording needs to be first in line for malloc, but the program calls the malloc of %s: "+
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
	if o.File != nil {
		path := C.CString(o.File.Path)
		defer C.free(unsafe.Pointer(path))
		options.file = C.struct_region_file{pages: C.uintptr_t(uintptr(o.File.Pages)), path: path, device: C.uint64_t(o.File.Device), inode: C.uint64_t(o.File.Inode)}
	}
	if o.ThreadNames {
		options.thread_names = 1
	}
	if failed := C.cgoheap_prepare(&options); failed != 0 {
		return fmt.Errorf("mapping %d bytes for the profiler's tables: %w", o.TableBytes, syscall.Errno(failed))
	}
	wiped.add(uint64(uintptr(unsafe.Pointer(C.cgoheap_here))))
	return nil
}

// pages are some of the size that the kernel has.
type pages struct {
	sync.Mutex
	starts []uint64
}

func (p *pages) add(address uint64) {
	p.Lock()
	defer p.Unlock()
	if page := address &^ uint64(os.Getpagesize()-1); !slices.Contains(p.starts, page) {
		p.starts = append(p.starts, page)
	}
}

// wiped are those that have been in use as cgoheap_here. None is unmapped.
var wiped pages

// Wiped returns where the profiler has pages that the kernel wipes in children: of the region, and of those before it.
func Wiped() (starts []uint64) {
	wiped.Lock()
	defer wiped.Unlock()
	return slices.Clone(wiped.starts)
}

// Start begins to record.
func Start() { C.cgoheap_start() }

// Stop ends the recording and frees the region's memory; the result of Region must not be read any more. It returns false if
// a thread that is stopped in the middle of recording prevented that.
func Stop() bool { return bool(C.cgoheap_stop()) }

// Settle makes the settled tallies of all sites the exact state of one moment during the call. After it, no thread reads an
// index that was replaced before it. One caller at a time. It returns false if a thread that is stopped in the middle of
// recording prevented it; the tallies then keep the state of the last success.
func Settle() bool { return bool(C.cgoheap_settle()) }

// Crowd returns the number of threads that are recording inside hooks. If processors are few, most of them are not running.
func Crowd() int { return int(C.gate_crowd()) }

// GiveWay asks threads that record to leave processors to the caller for a time, by pausing after every so many events; 0 ends that.
func GiveWay(d time.Duration, every int) { C.gate_give_way(C.uint64_t(d), C.uint32_t(max(every, 1))) }

// SetSampleBytes changes the mean interval between samples while a recording runs. Each thread changes over at its next sample.
func SetSampleBytes(n int64) { C.cgoheap_set_sample_bytes(C.uint64_t(n)) }

// Region returns the region, in place: it changes while it is read. It is never longer than what is mapped.
func Region() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(C.cgoheap_region)), min(C.cgoheap_region.size, C.cgoheap_mapped))
}

// Scratch returns where the hooks work, and how many bytes it has; 0 before the first recording.
func Scratch() (start, size uint64) {
	if C.cgoheap_scratches == nil {
		return 0, 0
	}
	return uint64(uintptr(unsafe.Pointer(C.cgoheap_scratches))), uint64(C.scratch_bytes())
}

// Describe puts a description of the process into the region, if there is room.
func Describe(text []byte) {
	if at, ok := Reserve(len(text)); ok && len(text) > 0 {
		copy(Region()[at:], text)
		C.cgoheap_region.about_size = C.uint64_t(len(text))
		C.cgoheap_region.about = C.uint64_t(at)
	}
}

// ReserveNotes takes zeroed bytes for the flight recorder's notes, and tells the region's readers where they are. It returns nil if there is
// no room.
func ReserveNotes(size int) []byte {
	at, ok := Reserve(size)
	if !ok {
		return nil
	}
	C.cgoheap_region.flight_size = C.uint64_t(size)
	C.cgoheap_region.flight = C.uint64_t(at)
	return Region()[at:][:size:size]
}

// Reserve takes zeroed bytes from the region's unused part and returns their offset; false when it is full.
func Reserve(size int) (uint64, bool) {
	at := uint64(C.region_reserve(C.uint64_t(size)))
	if most := uint64(len(Region())); at > most || uint64(size) > most-at { // the header was overwritten
		return 0, false
	}
	return at, at != 0
}

// Counted returns the value of Counters()[i].
func Counted(i int) uint64 { return uint64(C.cgoheap_counted(C.enum_counter(i))) }

// Publish puts the index at offset in place of the current one.
func Publish(index uint64) { C.cgoheap_publish(C.uint64_t(index)) }

// Rearm lets the next samples ask the waker again, once for each reason.
func Rearm() { C.waker_rearm() }

// counters returns the list of counters.h, for package layout.
func counters() []layout.Counter {
	list := make([]layout.Counter, C.COUNTS)
	for i, c := range &C.cgoheap_counters {
		list[i] = layout.Counter{Name: C.GoString(c.name), Sentence: C.GoString(c.sentence), Loss: bool(c.loss)}
	}
	return list
}

// Tick is the unit of the times at which blocks were allocated.
const Tick time.Duration = layout.Tick

// Ticks returns the ticks since the recording began, with which blocks are stamped.
func Ticks() uint64 { return uint64(C.clock_ticks()) }

// HoldPeak freezes the peak and completes every site's share of it, until ReleasePeak, which must be called. One caller at a
// time.
func HoldPeak() { C.peak_freeze() }

// ReleasePeak ends HoldPeak.
func ReleasePeak() { C.peak_thaw() }

// MissedPeak returns the highest total in bytes that passed while the peak was held and has not been reached since; 0 if
// none did.
func MissedPeak() uint64 { return uint64(C.peak_read_missed()) }

// ResetPeak makes the memory in use now the peak. It must not be called while the peak is held.
func ResetPeak() { C.peak_reset() }

// InUse returns the bytes in use at a moment during the call, in units of 2^-4. One caller at a time of this and all above.
func InUse() uint64 { return uint64(C.peak_total()) }

// BoxState says what became of the file that the region lies in: whether pages had no room and are in memory only, and whether pages
// that had been written are gone. Then nothing is recorded any more, and what the region has is not right.
func BoxState() (full, lost bool) {
	s := C.box_state()
	return s == C.BOX_FULL, s == C.BOX_LOST
}

// Allocated records a block that the program made by itself; kind is "" for none.
func Allocated(p, size uintptr, kind string) {
	C.allocated(C.uintptr_t(p), C.size_t(size), (*C.char)(unsafe.Pointer(unsafe.StringData(kind))), C.size_t(len(kind)))
}

// Freed records that such a block is freed.
func Freed(p uintptr) { C.freed(C.uintptr_t(p)) }

// Pool takes a block out of use, because others are carved from it.
func Pool(chunk uintptr) { C.pool(C.uintptr_t(chunk)) }

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "allocators.h"
// #include "hooks.h"
// #include "mapped.h"
// #include "real.h"
// #include "record_mapped.h"
// #include <stdlib.h>
//
// static uintptr_t real_malloc(void) { return (uintptr_t)REAL(malloc); }
// static uintptr_t own_code(void) { return (uintptr_t)mapped_read; }
import "C"

import (
	"cmp"
	"errors"
	"slices"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/scratch"
)

// RealMalloc returns the address of the malloc behind the hooks and the file that it is in, "" if the loader does not know.
func RealMalloc() (address uint64, file string) {
	var name *C.char
	p := C.allocators_malloc(&name)
	return uint64(uintptr(p)), C.GoString(name)
}

// RealFunction finds a function of the allocator behind the hooks by its name; nil if there is none.
func RealFunction(name string) unsafe.Pointer {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	return C.allocators_symbol(s)
}

// RealPair returns the malloc behind the hooks and the free that belongs to it; nil if there is none, or it is not known yet.
func RealPair() (malloc, free unsafe.Pointer) {
	var pair C.struct_real_pair
	if !C.allocators_pair(&pair) {
		return nil, nil
	}
	return pair.malloc, pair.free
}

// Brought is an allocator that a library brings along under names with a prefix.
type Brought struct {
	Prefix  string
	Mallctl unsafe.Pointer // jemalloc's; nil if the program has none with the prefix
	Hooked  bool           // its functions are in the program, and have hooks
}

// BroughtAllocators returns those that the program contains.
func BroughtAllocators() (all []Brought) {
	var found C.struct_brought_allocator
	for row := C.unsigned(0); C.allocators_brought(row, &found); row++ {
		b := Brought{Prefix: C.GoString(found.prefix), Mallctl: found.mallctl, Hooked: found.malloc != nil}
		if b.Mallctl != nil || b.Hooked {
			all = append(all, b)
		}
	}
	return all
}

// Mapped is a range of addresses that a recorded call has mapped. It is laid out as struct mapped in mapped_tree.h.
type Mapped struct {
	Start, Limit uint64
	_            uint64
	Length       uint64 // bytes that the call asked for; but see MAPPED_OPEN in mapped_tree.h
	Call         uint64 // its number
	_            uint64
	Stack        uint32 // ref
	Kind, Flags  uint16 // see mapped_tree.h
	_            [2]uint32
}

var _ = [unsafe.Sizeof(Mapped{}) - unsafe.Sizeof(C.struct_mapped{}) + 1]byte{}

// WatchMapped lets the next recording record calls that map memory. An error says why it cannot.
func WatchMapped() error {
	C.mapping_set_allocator(allocatorCode())
	if !C.hooks_know_go() {
		return errors.New("the calls of mmap and munmap in Go's runtime were not found")
	}
	return nil
}

// allocatorCode returns the code of the library whose malloc is the real one; nothing if that is in the program itself, where
// code of others lies beside it.
func allocatorCode() (lo, hi C.uintptr_t) {
	malloc, own := uint64(C.real_malloc()), uint64(C.own_code())
	for _, s := range Segments() {
		if s.Executable && s.Start <= malloc && malloc < s.Limit && (own < s.Start || s.Limit <= own) {
			return C.uintptr_t(s.Start), C.uintptr_t(s.Limit)
		}
	}
	return 0, 0
}

// ReadMapped returns what recorded calls have mapped, at one moment, in the order of addresses, in memory. It returns false if a
// thread that is stopped in the middle of recording prevented it. While recording.
func ReadMapped(memory *scratch.Memory) ([]Mapped, bool) {
	for room := uint64(1024); ; {
		list := scratch.Slice[Mapped](memory, int(room))
		n := uint64(C.mapped_read((*C.struct_mapped)(unsafe.Pointer(&list[0])), C.size_t(room)))
		if n <= room {
			slices.SortFunc(list[:n], func(a, b Mapped) int { return cmp.Compare(a.Start, b.Start) })
			return list[:n], true
		}
		scratch.ReleaseSlice(memory, list)
		if n == C.SIZE_MAX {
			return nil, false
		}
		room = n + 256 // there may be more the next time
	}
}

// BreakMoved reports whether a call of the program, or of an allocator that is not libc's, has moved the end of the data segment since
// the program began.
func BreakMoved() bool { return bool(C.cgoheap_end_moved) }

// GoPages returns what Go's runtime has mapped since the program began and still has, whether it was recorded or not. Ranges may
// overlap, and come in no order.
func GoPages() (ranges []Mapped) {
	for i := range C.size_t(C.PAGE_SET_RANGES) {
		var start, limit C.uint64_t
		if C.page_set_get(&C.cgoheap_go_pages, i, &start, &limit) {
			ranges = append(ranges, Mapped{Start: uint64(start), Limit: uint64(limit), Kind: C.MAPPED_GO})
		}
	}
	return ranges
}

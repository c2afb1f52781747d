//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "bounds.h"
// #include "cfi.h"
// #include "images.h"
// #include "loads.h"
// #include "lookup.h"
// #include "region.h"
// #include "segments.h"
// #include "threadlocal.h"
//
// // Reads memory as a walk does.
// static bool rule_in_memory(struct image image, uintptr_t pc, struct rule *rule)
// {
// 	struct copy copy = {0};
// 	struct memory memory = {.copy = &copy};
// 	image.memory = &memory;
// 	bool found = cfi_rule(&image, pc, rule);
// 	memory_end(&memory);
// 	return found;
// }
import "C"

import (
	"cmp"
	"unsafe"
)

// Segment is a loadable segment of a file, as the loader lists it.
type Segment struct {
	Path                 string // of the file, or "[vdso]"
	Start, Limit, Offset uint64 // runtime addresses, and Start's offset in the file
	End                  uint64 // in memory: from Limit on, the segment is zero at first
	Executable, Writable bool
}

// Segments returns the segments that the loader has loaded, the program's first. Files whose path is too long are left out.
func Segments() []Segment {
	list := make([]C.struct_segment, 64)
	for {
		count := int(C.segments_list(&list[0], C.size_t(len(list))))
		if count <= len(list) {
			return segments(list[:count])
		}
		list = make([]C.struct_segment, count+count/8)
	}
}

func segments(list []C.struct_segment) []Segment {
	var all []Segment
	for i := range list {
		s := &list[i]
		if path := C.GoString(&s.path[0]); path != "" {
			all = append(all, Segment{path, uint64(s.start), uint64(s.limit), uint64(s.offset), uint64(s.end), bool(s.executable), bool(s.writable)})
		}
	}
	return all
}

// Image is where a loaded file has its unwind data in memory.
type Image struct {
	Bias         uint64 // runtime address − ELF address
	Start, Limit uint64 // of the segment that holds it
	EhFrameHdr   uint64 // runtime address of .eh_frame_hdr; 0 if there is none
	Kept         bool   // the file is never unloaded
}

// Images lists the files that the loader has loaded now. Kept is not set.
func Images() []Image {
	list := make([]C.struct_loaded_image, 64)
	count := int(C.images_list(&list[0], C.size_t(len(list))))
	for count > len(list) {
		list = make([]C.struct_loaded_image, count+16) // there may be more the next time
		count = int(C.images_list(&list[0], C.size_t(len(list))))
	}
	images := make([]Image, count)
	for i, l := range list[:count] {
		images[i] = Image{Bias: uint64(l.bias), Start: uint64(l.image.start), Limit: uint64(l.image.limit),
			EhFrameHdr: uint64(l.image.eh_frame_hdr)}
	}
	return images
}

func (i Image) c() C.struct_image {
	return C.struct_image{start: C.uintptr_t(i.Start), limit: C.uintptr_t(i.Limit),
		eh_frame_hdr: C.uintptr_t(i.EhFrameHdr), kept: C.bool(i.Kept)}
}

// Rule returns the rule for the code at a runtime address, as C finds it in memory, for tests: all zero if no FDE covers it.
// ok is false if the unwind data cannot be searched there.
func (i Image) Rule(address uint64) (rule [C.sizeof_struct_rule]byte, ok bool) {
	ok = bool(C.rule_in_memory(i.c(), C.uintptr_t(address), (*C.struct_rule)(unsafe.Pointer(&rule))))
	return rule, ok
}

// Loads identifies a set of loaded libraries, for an index of them: it must be read before the libraries are listed. Values
// are comparable.
type Loads C.struct_loads

// ReadLoads reads the loader's state. One caller at a time.
func ReadLoads() (l Loads) {
	C.loads_read((*C.struct_loads)(&l))
	return l
}

// Count returns how many libraries had been loaded until then.
func (l *Loads) Count() uint64 { return uint64(l.count) }

// Watched reports whether a walk can see that a library has been loaded since.
func (l *Loads) Watched() bool { return l.adds > 0 }

// During reports whether an object, whose state of the loader's list is seen, was there when l was read, and no library has been
// loaded or closed since then.
func (l *Loads) During(seen uint64) bool {
	loads := (*C.struct_loads)(l)
	then := uint64(C.loads_then(loads))
	return then != 0 && seen == then && uint64(C.loads_now(loads)) == then
}

// PermanentBiases returns the load biases (runtime − ELF address) of the libraries that cannot be unloaded.
func PermanentBiases() []uint64 { return biases(true) }

// LoadedBiases returns the load biases of all libraries that the loader lists and counts now.
func LoadedBiases() []uint64 { return biases(false) }

func biases(forever bool) []uint64 {
	list := make([]uint64, 64)
	for {
		n := int(C.loads_biases(C.bool(forever), (*C.uint64_t)(&list[0]), C.size_t(len(list))))
		if n <= len(list) {
			return list[:n]
		}
		list = make([]uint64, n+16) // there may be more the next time
	}
}

// ThreadLocal is the thread-local storage that a thread has for one file.
type ThreadLocal struct {
	Bias   uint64 // of the file: runtime address − ELF address
	Module uint64 // the number by which each thread's vector (dtv) has it
	Start  uint64 // the calling thread's; 0 if it has none yet
	Size   uint64 // bytes
}

// ThreadHere is the calling thread at the time of a list.
type ThreadHere struct {
	Self    uint64 // the address of its control block
	Pointer uint64 // its thread pointer
	Keys    uint64 // where the values of the first KeysHere pthread keys lie in the control block, 16 bytes each; 0 if unknown
}

// KeysHere is how many keys' values glibc keeps in a control block.
const KeysHere = 32

// ThreadLocals returns the thread-local storage of the loaded files, as the calling thread has it.
func ThreadLocals() (list []ThreadLocal, here ThreadHere) {
	var h C.struct_threadlocal_here
	found := make([]C.struct_threadlocal, 64)
	for {
		count := int(C.threadlocal_list(&found[0], C.size_t(len(found)), &h))
		if count <= len(found) {
			found = found[:count]
			break
		}
		found = make([]C.struct_threadlocal, count+count/8)
	}
	for i := range found {
		f := &found[i]
		list = append(list, ThreadLocal{uint64(f.bias), uint64(f.module), uint64(f.start), uint64(f.size)})
	}
	return list, ThreadHere{uint64(h.self), uint64(h.pointer), uint64(h.keys)}
}

// BoundsWords has the positions of the two words with which libc keeps the bounds of a thread's stack.
// They lie in the thread's control block.
type BoundsWords struct {
	Thread uint64 // the address of the control block
	Words  uint64 // the address of the words
	End    bool   // they are the end and the size; otherwise the lowest address and the size
}

// BoundsWordsHere returns the bounds' words of the calling thread. False if they are unknown, or before a recording has begun.
func BoundsWordsHere() (BoundsWords, bool) {
	var w C.struct_bounds_words
	ok := bool(C.bounds_words(&w))
	return BoundsWords{uint64(w.thread), uint64(w.words), bool(w.end)}, ok
}

// Module is the fixed part of a module's entry in the region.
type Module = C.struct_module

// Range is one executable range of the index, with the offsets of its rows.
type Range = C.struct_range

// NewModule makes the fixed part of a module's entry; the build ID and the path follow it.
func NewModule(start, limit, bias uint64, buildID, path string) Module {
	return Module{
		start: C.uint64_t(start), limit: C.uint64_t(limit), bias: C.uint64_t(bias),
		build_id_size: C.uint32_t(len(buildID)), path_size: C.uint32_t(len(path)),
	}
}

// Rows describes where the rows of one module lie in the region.
type Rows struct {
	PCs, Rules, Set uint64 // offsets
	Count           int
	Base            uint64 // runtime address that PCs count from
	Closable        bool   // the module may be unloaded
	Image           Image  // where rules are found while there are no rows; zero if there are
	Go              uint64 // offset of the GoCode of its Go code; 0 if it has none, or if it is the program's own
}

// NewRange makes an entry of the index.
func NewRange(start, limit uint64, module uint16, r Rows) Range {
	closable := C.uint16_t(0)
	if r.Closable {
		closable = 1
	}
	return Range{
		start: C.uint64_t(start), limit: C.uint64_t(limit), base: C.uint64_t(r.Base),
		pcs: C.uint64_t(r.PCs), rules: C.uint64_t(r.Rules), set: C.uint64_t(r.Set),
		data_start: C.uint64_t(r.Image.Start), data_limit: C.uint64_t(r.Image.Limit), eh_frame_hdr: C.uint64_t(r.Image.EhFrameHdr),
		rows: C.uint32_t(r.Count), module: C.uint16_t(module), closable: closable, _go: C.uint64_t(r.Go),
	}
}

// Index is the head of an index, before its ranges.
type Index = C.struct_index

// NewIndex makes the head of an index of ranges. goModule holds the program's Go code, number counts the indexes published
// in this recording, cache is the offset of the index's cache, and loads was read before the ranges were listed.
func NewIndex(ranges []Range, goModule uint16, number, cache uint64, loads Loads) Index {
	index := Index{
		count: C.uint32_t(len(ranges)), go_module: C.uint32_t(goModule), number: C.uint64_t(number), cache: C.uint64_t(cache),
		loads: C.struct_loads(loads),
	}
	for i := range ranges {
		if ranges[i]._go != 0 {
			index.plugins++
		}
	}
	return index
}

// CompareRanges orders ranges by address.
func CompareRanges(a, b Range) int { return cmp.Compare(a.start, b.start) }

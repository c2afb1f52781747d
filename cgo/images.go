//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "cfi.h"
// #include "images.h"
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

import "unsafe"

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

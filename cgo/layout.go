//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "lookup.h"
// #include "region.h"
import "C"

import "cmp"

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

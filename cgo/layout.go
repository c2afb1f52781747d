//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "block.h"
// #include "credit.h"
// #include "filter.h"
// #include "region.h"
// #include "lookup.h"
// #include "rows.h"
// #include "walk.h"
import "C"

import (
	"cmp"
	"unsafe"
)

// Sizes and offsets of the region's structures, taken from the C that writes them. See region.h and rows.h.
const (
	HeaderSize       = unsafe.Offsetof(C.struct_header{}.size)
	HeaderUsed       = unsafe.Offsetof(C.struct_header{}.used)
	HeaderStackHeads = unsafe.Offsetof(C.struct_header{}.stack_heads)
	HeaderHeads      = unsafe.Offsetof(C.struct_header{}.heads)
	HeaderAsked      = unsafe.Offsetof(C.struct_header{}.asked)
	HeaderModules    = unsafe.Offsetof(C.struct_header{}.modules)
	HeaderLevels     = unsafe.Offsetof(C.struct_header{}.levels)
	HeaderStuck      = unsafe.Offsetof(C.struct_header{}.filter_stuck)
	HeaderClock      = unsafe.Offsetof(C.struct_header{}.clock)
	HeaderPeakClock  = unsafe.Offsetof(C.struct_header{}.peak_clock)
	HeaderInUse      = unsafe.Offsetof(C.struct_header{}.inuse)
	HeaderCarries    = unsafe.Offsetof(C.struct_header{}.carries)

	Carries      = C.REGION_CARRIES
	CarrySize    = C.sizeof_struct_carry
	CarryWord    = unsafe.Offsetof(C.struct_carry{}.word)
	CarrySettled = unsafe.Offsetof(C.struct_carry{}.settled)

	InUseUnit = C.UNIT // of the word at HeaderInUse: 2^-4 bytes

	StackNode  = unsafe.Offsetof(C.struct_stack{}.node)
	StackSites = unsafe.Offsetof(C.struct_stack{}.sites)
	StackBytes = C.sizeof_struct_stack
	StackEnds  = C.STACK_ENDS // what is below is no node, but an end
	EndNoFile  = C.END_NO_FILE
	NodeCaller = unsafe.Offsetof(C.struct_node{}.caller)
	NodeFrame  = unsafe.Offsetof(C.struct_node{}.frame)
	FrameFrame = unsafe.Offsetof(C.struct_frame{}.frame)

	SiteStack = unsafe.Offsetof(C.struct_site{}.stack)
	SiteSize  = unsafe.Offsetof(C.struct_site{}.size)
	SiteWhole = unsafe.Offsetof(C.struct_site{}.whole)
	SiteMixed = C.SITE_MIXED
	SiteBytes = C.sizeof_struct_site + C.sizeof_struct_flow // at least

	SiteLabels    = unsafe.Offsetof(C.struct_site{}.labels)
	SiteClass     = unsafe.Offsetof(C.struct_site{}.class)
	SiteLifetimes = unsafe.Offsetof(C.struct_site{}.lifetimes)
	LifetimeNext  = unsafe.Offsetof(C.struct_lifetime{}.next)
	LifetimeClass = unsafe.Offsetof(C.struct_lifetime{}.class)
	LifetimeFreed = C.sizeof_struct_lifetime // one tally for each measure
	SiteFlows     = C.sizeof_struct_site     // one for objects, and where sizes are mixed one for bytes
	FlowSize      = C.sizeof_struct_flow
	FlowPeak      = unsafe.Offsetof(C.struct_flow{}.peak) + unsafe.Offsetof(C.struct_peak{}.then)
	FlowAllocated = unsafe.Offsetof(C.struct_flow{}.allocated)
	FlowFreed     = unsafe.Offsetof(C.struct_flow{}.freed)
	TallySize     = C.sizeof_struct_tally
	TallySettled  = unsafe.Offsetof(C.struct_tally{}.settled)

	Levels       = C.REGION_LEVELS
	LevelBuckets = C.LEVEL_BUCKETS // in the first level; each has twice as many as the one before
	BucketSize   = C.sizeof_struct_bucket
	BucketSlots  = C.BUCKET
	BucketKeys   = unsafe.Offsetof(C.struct_bucket{}.keys)
	BucketBlocks = unsafe.Offsetof(C.struct_bucket{}.blocks)
	KeyReserved  = C.RESERVED
	BlockSize    = C.sizeof_struct_block
	BlockWeight  = unsafe.Offsetof(C.struct_block{}.weight) // objects, then bytes
	BlockSite    = unsafe.Offsetof(C.struct_block{}.site)
	BlockBorn    = unsafe.Offsetof(C.struct_block{}.born)
	ObjectBits   = C.WEIGHT_OBJECT_BITS // of a block's objects; above them are the upper bits of born
	BornBits     = C.BLOCK_BORN_BITS
	BlockLost    = C.BLOCK_LOST // of a block's objects, too: it was freed

	Filter          = C.REGION_FILTER // a byte for each granule
	FilterSlots     = C.REGION_FILTER_SLOTS
	FilterGranule   = 1 << C.FILTER_GRANULE_BITS
	FilterRecounted = C.FILTER_RECOUNTED // counts from here on do not count

	ModuleStrings = C.sizeof_struct_module
)

// Module is the fixed part of a module's entry in the region.
type Module = C.struct_module

// Range is one executable range of the index, with the place of its rows.
type Range = C.struct_range

// NewModule makes the fixed part of a module's entry; the build ID and the path follow it.
func NewModule(start, limit, bias uint64, buildID, path string) Module {
	return Module{
		start: C.uint64_t(start), limit: C.uint64_t(limit), bias: C.uint64_t(bias),
		build_id_size: C.uint32_t(len(buildID)), path_size: C.uint32_t(len(path)),
	}
}

// Rows says where the rows of one module lie in the region.
type Rows struct {
	PCs, Rules, Set uint64 // offsets
	Count           int
	Base            uint64 // runtime address that PCs count from
	Closable        bool   // the module may be unloaded
	Image           Image  // where rules are found while there are no rows; zero if there are
	Go              uint64 // offset of the GoCode in it; 0 for none, and for the program's own
}

// ModuleMade is the module's number of code that was made at run time. Numbers of other modules are lower.
const ModuleMade = C.MODULE_MADE

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

// Index is what stands before the ranges of an index.
type Index = C.struct_index

// NewIndex makes the head of an index of ranges, with the program's Go code in a module, number in the order of publishing,
// its cache at an offset, and loads from before the ranges were listed.
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

// RowsWanted is how often rules are looked for in memory before rows are worth their time.
const RowsWanted = C.ROWS_WANTED

// IndexCache is the size of an index's cache of rules.
const IndexCache = C.CACHE_PLACES * C.sizeof_struct_place

// CompareRanges orders ranges by address.
func CompareRanges(a, b Range) int { return cmp.Compare(a.start, b.start) }

// RuleSize is the size of a rule in the region, which is package unwind's Rule byte for byte.
const RuleSize = C.sizeof_struct_rule

// RuleAt is the rule that a walk would use for the code at address, for tests: all zero where no row covers it.
func RuleAt(address uint64) [RuleSize]byte {
	return *(*[RuleSize]byte)(unsafe.Pointer(C.index_rule(C.uintptr_t(address))))
}

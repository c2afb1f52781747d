//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "allocators.h"
// #include "twin_chunks.h"
import "C"

// TwinHeaps is what is known of glibc's heaps before a twin is made. Addresses are those of the process.
type TwinHeaps struct {
	Arena                     uint64      // struct malloc_state of the first arena
	Page                      uint64      // bytes of a page
	MappedBlocks, MappedBytes uint64      // addresses of the number of blocks that are mapped one by one, and of their sum; 0: unknown
	Program                   [2]uint64   // start and limit of the data segment
	Others                    [][2]uint64 // what of that is not malloc's, ascending
}

// TwinMalloc says where glibc has its heaps: struct twin_malloc. The zero value: nowhere.
type TwinMalloc struct{ c C.struct_twin_malloc }

// NewTwinMalloc adds what marks blocks in threads' caches, for which it allocates and frees one by the real malloc, which must be
// glibc's. Others that there is no room for are left out: a twin looks for the chunks behind them.
func NewTwinMalloc(h TwinHeaps) TwinMalloc {
	var m TwinMalloc
	m.c = C.struct_twin_malloc{
		arena: C.uint64_t(h.Arena), page: C.uint64_t(h.Page), key: twinKey(),
		mapped_blocks: C.uint64_t(h.MappedBlocks), mapped_bytes: C.uint64_t(h.MappedBytes),
		program: twinRange(h.Program),
	}
	for i, r := range h.Others[:min(len(h.Others), len(m.c.others))] {
		m.c.others[i] = twinRange(r)
		m.c.others_count++
	}
	return m
}

// Key returns what marks a block in a thread's cache in its second word; 0 if nothing does.
func (m *TwinMalloc) Key() uint64 { return uint64(m.c.key) }

func twinKey() C.uint64_t {
	var f C.struct_real_pair
	if !C.allocators_pair(&f) {
		return 0
	}
	return C.twin_chunks_key(f.malloc, f.free)
}

func twinRange(r [2]uint64) C.struct_twin_range {
	return C.struct_twin_range{start: C.uint64_t(r[0]), limit: C.uint64_t(r[1])}
}

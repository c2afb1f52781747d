package cgoheap

import "github.com/cgoheap/cgoheap/cgo"

// Allocated records a block of native memory that does not come from malloc, such as a part of a pool or memory of a device. It
// is recorded as malloc would record it, at the caller's stack. No other block may have the address p meanwhile; it is never read.
// An address of 0 or 1 is no block: nothing is recorded. kind becomes the label "kind" of the block's samples, unless it is empty; a
// program should have at most some hundred kinds. Blocks of the kinds "cuda" and "hip", alone or before a space, are memory of a device,
// which ViewDevice shows and no other view; "cuda pinned" and "hip pinned" are the host's. When no profiler runs, nothing happens.
//
// C and C++ include the file cgo/cgoheap.h for the same.
func Allocated(p, size uintptr, kind string) { cgo.Allocated(p, size, kind) }

// Freed records that a block of Allocated is about to be freed.
func Freed(p uintptr) { cgo.Freed(p) }

// Pool records that blocks are carved from a block that malloc returned. From then on the block itself does not count as in use,
// only what Allocated reports.
func Pool(chunk uintptr) { cgo.Pool(chunk) }

// Package arena is a C library with an allocator of its own, as parsers and compilers have. It reports its blocks to cgoheap by
// cgoheap.h, a copy of the file in cgo, and does not import cgoheap: in a program without cgoheap the reports do nothing.
package arena

/*
#cgo CFLAGS: -O2 -g -Wall
#include "arena.h"
#include <stdlib.h>
*/
import "C"

import "unsafe"

// Arena is memory that is carved into blocks and freed at once.
type Arena struct {
	native *C.struct_arena
}

// Open makes an arena. The caller owes a Close.
func Open() Arena { return Arena{C.arena_open()} }

var nodes = C.CString("nodes") // its text stays

// Node carves a block of a parser's, of at most 32 KiB.
func (a Arena) Node(size int) unsafe.Pointer { return C.arena_carve(a.native, C.size_t(size), nodes) }

// Close frees the arena with all of its blocks.
func (a Arena) Close() { C.arena_close(a.native) }

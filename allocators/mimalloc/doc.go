// Package mimalloc makes cgoheap see what is allocated by mimalloc's functions under their own names, such as mi_malloc. Import it
// in package main, for nothing but that:
//
//	import _ "github.com/cgoheap/cgoheap/allocators/mimalloc"
//
// It has the linker lead calls of mi_malloc and the rest of its family to cgoheap's hooks (--wrap): of all functions that allocate or free, except those
// that take a heap. Blocks of mi_heap_malloc are not seen, and their mi_free does no harm. A program that makes another heap the
// default, or resizes blocks of mi_malloc by mi_heap_realloc, should not import this package: blocks that mi_heap_destroy or
// mi_heap_realloc frees count as in use until their addresses are allocated again.
//
// A program without mimalloc does not link with this package. A mimalloc that stands in for malloc itself is seen without it.
package mimalloc

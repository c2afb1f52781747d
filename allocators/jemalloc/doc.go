// Package jemalloc makes cgoheap see what is allocated by a jemalloc that was configured with the prefix je_. Import it in package
// main, for nothing but that:
//
//	import _ "github.com/cgoheap/cgoheap/allocators/jemalloc"
//
// It has the linker lead calls of je_malloc and the rest of its family to cgoheap's hooks (--wrap). A program without such a jemalloc does
// not link with this package. A jemalloc without a prefix stands in for malloc itself, and is seen without it.
package jemalloc

// Package rust makes cgoheap see what Rust code allocates by a jemalloc of its own: by the crates tikv-jemallocator and
// jemallocator, with the prefix _rjem_. Import it in package main, for nothing but that:
//
//	import _ "github.com/cgoheap/cgoheap/allocators/rust"
//
// It has the linker lead calls of _rjem_malloc and the rest of its family to cgoheap's hooks (--wrap). A program without such an
// allocator does not link with this package: there, Rust code calls malloc, and is seen without it.
package rust

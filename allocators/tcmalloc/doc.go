// Package tcmalloc makes cgoheap see what is allocated by gperftools' functions under their own names, such as tc_malloc. Import it
// in package main, for nothing but that:
//
//	import _ "github.com/cgoheap/cgoheap/allocators/tcmalloc"
//
// It has the linker lead calls of tc_malloc and the rest of its family to cgoheap's hooks (--wrap), tc_new and the other operators too. A program
// without gperftools does not link with this package. A tcmalloc that stands in for malloc itself is seen without it.
package tcmalloc

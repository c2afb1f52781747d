// Package duckdb makes cgoheap see what DuckDB allocates. Import it in package main, for nothing but that:
//
//	import _ "github.com/cgoheap/cgoheap/allocators/duckdb"
//
// DuckDB's static library contains an allocator of its own, a jemalloc whose functions begin with duckdb_je_. Nearly all of
// DuckDB's memory comes from it, and none from malloc. This package has the linker lead those calls to cgoheap's hooks (--wrap).
// In a program without DuckDB it changes nothing.
package duckdb

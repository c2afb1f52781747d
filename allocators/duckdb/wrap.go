// Code generated from cgo/family.h by go test ./cgo -run Family -update. DO NOT EDIT.

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package duckdb

// #cgo LDFLAGS: -Wl,--wrap=duckdb_je_malloc
// #cgo LDFLAGS: -Wl,--wrap=duckdb_je_calloc
// #cgo LDFLAGS: -Wl,--wrap=duckdb_je_memalign
// #cgo LDFLAGS: -Wl,--wrap=duckdb_je_aligned_alloc
// #cgo LDFLAGS: -Wl,--wrap=duckdb_je_valloc
// #cgo LDFLAGS: -Wl,--wrap=duckdb_je_pvalloc
// #cgo LDFLAGS: -Wl,--wrap=duckdb_je_mallocx
// #cgo LDFLAGS: -Wl,--wrap=duckdb_je_posix_memalign
// #cgo LDFLAGS: -Wl,--wrap=duckdb_je_realloc
// #cgo LDFLAGS: -Wl,--wrap=duckdb_je_reallocarray
// #cgo LDFLAGS: -Wl,--wrap=duckdb_je_rallocx
// #cgo LDFLAGS: -Wl,--wrap=duckdb_je_xallocx
// #cgo LDFLAGS: -Wl,--wrap=duckdb_je_free
// #cgo LDFLAGS: -Wl,--wrap=duckdb_je_cfree
// #cgo LDFLAGS: -Wl,--wrap=duckdb_je_free_sized
// #cgo LDFLAGS: -Wl,--wrap=duckdb_je_free_aligned_sized
// #cgo LDFLAGS: -Wl,--wrap=duckdb_je_dallocx
// #cgo LDFLAGS: -Wl,--wrap=duckdb_je_sdallocx
import "C"

import _ "github.com/cgoheap/cgoheap/cgo" // has the hooks

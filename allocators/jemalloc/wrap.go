// Code generated from cgo/family.h by go test ./cgo -run Family -update. DO NOT EDIT.

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package jemalloc

// #cgo LDFLAGS: -Wl,--wrap=je_malloc
// #cgo LDFLAGS: -Wl,--wrap=je_calloc
// #cgo LDFLAGS: -Wl,--wrap=je_memalign
// #cgo LDFLAGS: -Wl,--wrap=je_aligned_alloc
// #cgo LDFLAGS: -Wl,--wrap=je_valloc
// #cgo LDFLAGS: -Wl,--wrap=je_pvalloc
// #cgo LDFLAGS: -Wl,--wrap=je_mallocx
// #cgo LDFLAGS: -Wl,--wrap=je_posix_memalign
// #cgo LDFLAGS: -Wl,--wrap=je_realloc
// #cgo LDFLAGS: -Wl,--wrap=je_reallocarray
// #cgo LDFLAGS: -Wl,--wrap=je_rallocx
// #cgo LDFLAGS: -Wl,--wrap=je_xallocx
// #cgo LDFLAGS: -Wl,--wrap=je_free
// #cgo LDFLAGS: -Wl,--wrap=je_cfree
// #cgo LDFLAGS: -Wl,--wrap=je_free_sized
// #cgo LDFLAGS: -Wl,--wrap=je_free_aligned_sized
// #cgo LDFLAGS: -Wl,--wrap=je_dallocx
// #cgo LDFLAGS: -Wl,--wrap=je_sdallocx
// extern void __real_je_malloc(void);
// __attribute__((used)) static void (*const needed[])(void) = {__real_je_malloc};
import "C"

import _ "github.com/cgoheap/cgoheap/cgo" // has the hooks

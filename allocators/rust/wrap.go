// Code generated from cgo/family.h by go test ./cgo -run Family -update. DO NOT EDIT.

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package rust

// #cgo LDFLAGS: -Wl,--wrap=_rjem_malloc
// #cgo LDFLAGS: -Wl,--wrap=_rjem_calloc
// #cgo LDFLAGS: -Wl,--wrap=_rjem_memalign
// #cgo LDFLAGS: -Wl,--wrap=_rjem_aligned_alloc
// #cgo LDFLAGS: -Wl,--wrap=_rjem_valloc
// #cgo LDFLAGS: -Wl,--wrap=_rjem_pvalloc
// #cgo LDFLAGS: -Wl,--wrap=_rjem_mallocx
// #cgo LDFLAGS: -Wl,--wrap=_rjem_posix_memalign
// #cgo LDFLAGS: -Wl,--wrap=_rjem_realloc
// #cgo LDFLAGS: -Wl,--wrap=_rjem_reallocarray
// #cgo LDFLAGS: -Wl,--wrap=_rjem_rallocx
// #cgo LDFLAGS: -Wl,--wrap=_rjem_xallocx
// #cgo LDFLAGS: -Wl,--wrap=_rjem_free
// #cgo LDFLAGS: -Wl,--wrap=_rjem_cfree
// #cgo LDFLAGS: -Wl,--wrap=_rjem_free_sized
// #cgo LDFLAGS: -Wl,--wrap=_rjem_free_aligned_sized
// #cgo LDFLAGS: -Wl,--wrap=_rjem_dallocx
// #cgo LDFLAGS: -Wl,--wrap=_rjem_sdallocx
// extern void __real__rjem_malloc(void);
// __attribute__((used)) static void (*const needed[])(void) = {__real__rjem_malloc};
import "C"

import _ "github.com/cgoheap/cgoheap/cgo" // has the hooks

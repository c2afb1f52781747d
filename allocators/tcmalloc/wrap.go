// Code generated from cgo/family.h by go test ./cgo -run Family -update. DO NOT EDIT.

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package tcmalloc

// #cgo LDFLAGS: -Wl,--wrap=tc_malloc
// #cgo LDFLAGS: -Wl,--wrap=tc_malloc_skip_new_handler
// #cgo LDFLAGS: -Wl,--wrap=tc_calloc
// #cgo LDFLAGS: -Wl,--wrap=tc_memalign
// #cgo LDFLAGS: -Wl,--wrap=tc_aligned_alloc
// #cgo LDFLAGS: -Wl,--wrap=tc_valloc
// #cgo LDFLAGS: -Wl,--wrap=tc_pvalloc
// #cgo LDFLAGS: -Wl,--wrap=tc_new
// #cgo LDFLAGS: -Wl,--wrap=tc_new_nothrow
// #cgo LDFLAGS: -Wl,--wrap=tc_new_aligned
// #cgo LDFLAGS: -Wl,--wrap=tc_new_aligned_nothrow
// #cgo LDFLAGS: -Wl,--wrap=tc_newarray
// #cgo LDFLAGS: -Wl,--wrap=tc_newarray_nothrow
// #cgo LDFLAGS: -Wl,--wrap=tc_newarray_aligned
// #cgo LDFLAGS: -Wl,--wrap=tc_newarray_aligned_nothrow
// #cgo LDFLAGS: -Wl,--wrap=tc_posix_memalign
// #cgo LDFLAGS: -Wl,--wrap=tc_realloc
// #cgo LDFLAGS: -Wl,--wrap=tc_free
// #cgo LDFLAGS: -Wl,--wrap=tc_free_sized
// #cgo LDFLAGS: -Wl,--wrap=tc_free_aligned_sized
// #cgo LDFLAGS: -Wl,--wrap=tc_cfree
// #cgo LDFLAGS: -Wl,--wrap=tc_delete
// #cgo LDFLAGS: -Wl,--wrap=tc_delete_sized
// #cgo LDFLAGS: -Wl,--wrap=tc_delete_nothrow
// #cgo LDFLAGS: -Wl,--wrap=tc_delete_aligned
// #cgo LDFLAGS: -Wl,--wrap=tc_delete_sized_aligned
// #cgo LDFLAGS: -Wl,--wrap=tc_delete_aligned_nothrow
// #cgo LDFLAGS: -Wl,--wrap=tc_deletearray
// #cgo LDFLAGS: -Wl,--wrap=tc_deletearray_sized
// #cgo LDFLAGS: -Wl,--wrap=tc_deletearray_nothrow
// #cgo LDFLAGS: -Wl,--wrap=tc_deletearray_aligned
// #cgo LDFLAGS: -Wl,--wrap=tc_deletearray_sized_aligned
// #cgo LDFLAGS: -Wl,--wrap=tc_deletearray_aligned_nothrow
// extern void __real_tc_malloc(void);
// __attribute__((used)) static void (*const needed[])(void) = {__real_tc_malloc};
import "C"

import _ "github.com/cgoheap/cgoheap/cgo" // has the hooks

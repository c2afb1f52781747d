// Code generated from cgo/family.h by go test ./cgo -run Family -update. DO NOT EDIT.

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package mimalloc

// #cgo LDFLAGS: -Wl,--wrap=mi_malloc
// #cgo LDFLAGS: -Wl,--wrap=mi_malloc_small
// #cgo LDFLAGS: -Wl,--wrap=mi_zalloc
// #cgo LDFLAGS: -Wl,--wrap=mi_zalloc_small
// #cgo LDFLAGS: -Wl,--wrap=mi_calloc
// #cgo LDFLAGS: -Wl,--wrap=mi_mallocn
// #cgo LDFLAGS: -Wl,--wrap=mi_umalloc
// #cgo LDFLAGS: -Wl,--wrap=mi_umalloc_small
// #cgo LDFLAGS: -Wl,--wrap=mi_uzalloc
// #cgo LDFLAGS: -Wl,--wrap=mi_uzalloc_small
// #cgo LDFLAGS: -Wl,--wrap=mi_ucalloc
// #cgo LDFLAGS: -Wl,--wrap=mi_umalloc_aligned
// #cgo LDFLAGS: -Wl,--wrap=mi_uzalloc_aligned
// #cgo LDFLAGS: -Wl,--wrap=mi_malloc_aligned
// #cgo LDFLAGS: -Wl,--wrap=mi_malloc_aligned_at
// #cgo LDFLAGS: -Wl,--wrap=mi_zalloc_aligned
// #cgo LDFLAGS: -Wl,--wrap=mi_zalloc_aligned_at
// #cgo LDFLAGS: -Wl,--wrap=mi_calloc_aligned
// #cgo LDFLAGS: -Wl,--wrap=mi_calloc_aligned_at
// #cgo LDFLAGS: -Wl,--wrap=mi_memalign
// #cgo LDFLAGS: -Wl,--wrap=mi_aligned_alloc
// #cgo LDFLAGS: -Wl,--wrap=mi_valloc
// #cgo LDFLAGS: -Wl,--wrap=mi_pvalloc
// #cgo LDFLAGS: -Wl,--wrap=mi_new
// #cgo LDFLAGS: -Wl,--wrap=mi_new_n
// #cgo LDFLAGS: -Wl,--wrap=mi_new_nothrow
// #cgo LDFLAGS: -Wl,--wrap=mi_new_aligned
// #cgo LDFLAGS: -Wl,--wrap=mi_new_aligned_nothrow
// #cgo LDFLAGS: -Wl,--wrap=mi_strdup
// #cgo LDFLAGS: -Wl,--wrap=mi_strndup
// #cgo LDFLAGS: -Wl,--wrap=mi_mbsdup
// #cgo LDFLAGS: -Wl,--wrap=mi_wcsdup
// #cgo LDFLAGS: -Wl,--wrap=mi_realpath
// #cgo LDFLAGS: -Wl,--wrap=mi_posix_memalign
// #cgo LDFLAGS: -Wl,--wrap=mi_dupenv_s
// #cgo LDFLAGS: -Wl,--wrap=mi_realloc
// #cgo LDFLAGS: -Wl,--wrap=mi_reallocn
// #cgo LDFLAGS: -Wl,--wrap=mi_reallocarray
// #cgo LDFLAGS: -Wl,--wrap=mi_rezalloc
// #cgo LDFLAGS: -Wl,--wrap=mi_recalloc
// #cgo LDFLAGS: -Wl,--wrap=mi_realloc_aligned
// #cgo LDFLAGS: -Wl,--wrap=mi_realloc_aligned_at
// #cgo LDFLAGS: -Wl,--wrap=mi_rezalloc_aligned
// #cgo LDFLAGS: -Wl,--wrap=mi_rezalloc_aligned_at
// #cgo LDFLAGS: -Wl,--wrap=mi_recalloc_aligned
// #cgo LDFLAGS: -Wl,--wrap=mi_recalloc_aligned_at
// #cgo LDFLAGS: -Wl,--wrap=mi_aligned_recalloc
// #cgo LDFLAGS: -Wl,--wrap=mi_aligned_offset_recalloc
// #cgo LDFLAGS: -Wl,--wrap=mi_expand
// #cgo LDFLAGS: -Wl,--wrap=mi__expand
// #cgo LDFLAGS: -Wl,--wrap=mi_new_realloc
// #cgo LDFLAGS: -Wl,--wrap=mi_new_reallocn
// #cgo LDFLAGS: -Wl,--wrap=mi_urealloc
// #cgo LDFLAGS: -Wl,--wrap=mi_reallocf
// #cgo LDFLAGS: -Wl,--wrap=mi_reallocarr
// #cgo LDFLAGS: -Wl,--wrap=mi_free
// #cgo LDFLAGS: -Wl,--wrap=mi_cfree
// #cgo LDFLAGS: -Wl,--wrap=mi_free_small
// #cgo LDFLAGS: -Wl,--wrap=mi_ufree
// #cgo LDFLAGS: -Wl,--wrap=mi_free_size
// #cgo LDFLAGS: -Wl,--wrap=mi_free_aligned
// #cgo LDFLAGS: -Wl,--wrap=mi_free_size_aligned
// extern void __real_mi_malloc(void);
// extern void __real_mi_malloc_aligned(void);
// extern void __real_mi_posix_memalign(void);
// __attribute__((used)) static void (*const needed[])(void) = {__real_mi_malloc, __real_mi_malloc_aligned, __real_mi_posix_memalign};
import "C"

import _ "github.com/cgoheap/cgoheap/cgo" // has the hooks

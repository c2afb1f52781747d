// Code generated from cgo/family.h by go test ./cgo -run Family -update. DO NOT EDIT.

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan && cgoheap_wrap

package cgo

// #cgo CFLAGS: -DCGOHEAP_WRAP
// #cgo LDFLAGS: -Wl,--wrap=malloc
// #cgo LDFLAGS: -Wl,--wrap=free
// #cgo LDFLAGS: -Wl,--wrap=calloc
// #cgo LDFLAGS: -Wl,--wrap=realloc
// #cgo LDFLAGS: -Wl,--wrap=memalign
// #cgo LDFLAGS: -Wl,--wrap=aligned_alloc
// #cgo LDFLAGS: -Wl,--wrap=posix_memalign
// #cgo LDFLAGS: -Wl,--wrap=reallocarray
// #cgo LDFLAGS: -Wl,--wrap=valloc
// #cgo LDFLAGS: -Wl,--wrap=pvalloc
// #cgo LDFLAGS: -Wl,--wrap=cfree
// #cgo LDFLAGS: -Wl,--wrap=free_sized
// #cgo LDFLAGS: -Wl,--wrap=free_aligned_sized
// #cgo LDFLAGS: -Wl,--wrap=mmap
// #cgo LDFLAGS: -Wl,--wrap=munmap
// #cgo LDFLAGS: -Wl,--wrap=mremap
// #cgo LDFLAGS: -Wl,--wrap=brk
// #cgo LDFLAGS: -Wl,--wrap=sbrk
// #cgo LDFLAGS: -Wl,--wrap=shmat
// #cgo LDFLAGS: -Wl,--wrap=shmdt
// #cgo LDFLAGS: -Wl,--wrap=mmap64
import "C"

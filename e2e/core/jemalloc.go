//go:build jemalloc

package main

// #cgo CFLAGS: -DCORE_JEMALLOC
import "C"

import _ "github.com/cgoheap/cgoheap/allocators/jemalloc"

//go:build mimalloc

package main

// #cgo CFLAGS: -DCORE_MIMALLOC
import "C"

import _ "github.com/cgoheap/cgoheap/allocators/mimalloc"

//go:build tcmalloc

package main

// #cgo CFLAGS: -DCORE_TCMALLOC
import "C"

import _ "github.com/cgoheap/cgoheap/allocators/tcmalloc"

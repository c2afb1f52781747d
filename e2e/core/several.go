//go:build several

package main

// #cgo CFLAGS: -DCORE_SEVERAL
import "C"

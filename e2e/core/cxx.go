//go:build linux && cgo && cxx

package main

// #cgo CFLAGS: -DCORE_CXX
import "C"

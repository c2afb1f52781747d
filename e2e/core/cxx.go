//go:build cxx

package main

// #cgo CFLAGS: -DCORE_CXX
import "C"

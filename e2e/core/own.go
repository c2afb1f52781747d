//go:build ownfree || ownmunmap

package main

// #cgo ownfree CFLAGS: -DCORE_OWN_FREE
import "C"

//go:build leaks

// Command python loses objects of CPython.
package main

/*
#cgo pkg-config: python3-embed
#cgo CFLAGS: -Wall -O2 -g -I${SRCDIR}/../trial
*/
import "C"

import "github.com/cgoheap/cgoheap/e2e/leaks/trial"

func main() { trial.Main() }

//go:build leaks

// Command xml2 loses documents of libxml2.
package main

/*
#cgo pkg-config: libxml-2.0
#cgo CFLAGS: -Wall -O2 -g -I${SRCDIR}/../trial
*/
import "C"

import "github.com/cgoheap/cgoheap/e2e/leaks/trial"

func main() { trial.Main() }

//go:build leaks

// Command pools loses what libraries cut from larger blocks, or keep in pools of their own.
package main

/*
#cgo pkg-config: glib-2.0 protobuf
#cgo CFLAGS: -Wall -O2 -g -I${SRCDIR}/../trial
#cgo CXXFLAGS: -Wall -O2 -g -I${SRCDIR}/../trial
#cgo LDFLAGS: -ldl
*/
import "C"

import "github.com/cgoheap/cgoheap/e2e/leaks/trial"

func main() { trial.Main() }

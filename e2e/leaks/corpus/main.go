// Command corpus has the small cases: each loses blocks in a known way, and keeps others in one that looks alike. Those in C and
// C++ are also built without Go, as package plain.
package main

/*
#cgo CFLAGS: -Wall -O2 -g -I${SRCDIR}/../trial
#cgo CXXFLAGS: -Wall -O2 -g -I${SRCDIR}/../trial
#include "gos.h"
*/
import "C"

import (
	"unsafe"

	"github.com/cgoheap/cgoheap/e2e/leaks/trial"
)

func main() {
	trial.Main(
		trial.Case{Name: "go_field", Run: field},
		trial.Case{Name: "go_uintptr", Run: uintptrs},
		trial.Case{Name: "go_tiny", Run: tiny},
		trial.Case{Name: "go_neighbour", Run: neighbours},
		trial.Case{Name: "go_number", Run: looksAlike},
		trial.Case{Name: "go_map", Run: mapped},
		trial.Case{Name: "go_closure", Run: closed},
		trial.Case{Name: "go_cycle", Run: cycles},
		trial.Case{Name: "go_finalizer", Run: finalizers},
		trial.Case{Name: "go_cleanup", Run: cleanups},
		trial.Case{Name: "go_goroutine", Run: goroutines},
		trial.Case{Name: "go_session", Run: sessions},
		trial.Case{Name: "go_channel", Run: channels},
	)
}

// size is that of all blocks of cases in Go.
const size = C.GOS_SIZE

// handle is what a package around a C library returns: a Go object that has a C one.
type handle struct {
	id    int
	block unsafe.Pointer
}

func number() int { return trial.Number(size) }

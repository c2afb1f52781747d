package remote

import (
	"errors"
	"runtime/debug"
)

// ErrFault reports that a page of a file could not be read: its disk has an error, or somebody made it shorter meanwhile.
var ErrFault = errors.New("a part of the file could not be read, or was cut off meanwhile")

// withoutFaults calls do, which reads a file in place. A page that cannot be had is an error then, and not the end of the
// process. Only the calling goroutine may read the file.
func withoutFaults(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		caught := recover()
		if caught == nil {
			return
		}
		if fault, ok := caught.(interface{ Addr() uintptr }); !ok || fault.Addr() == 0 {
			panic(caught)
		}
		err = ErrFault
	}()
	return do()
}

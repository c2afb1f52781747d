// Command forking has the profiler asked for Go code by a signal, and then a thread of C's fork, with a signal in the midst. It
// prints "forked" when the thread has a child.
package main

// #include "fork.h"
import "C"

import (
	"fmt"
	"os"
	"syscall"

	"github.com/cgoheap/cgoheap/cgo"
)

func main() {
	forget, err := cgo.Await(cgo.WakeSignal, func(cgo.Reason) { C.answered() })
	if err != nil || !cgo.Catch(syscall.SIGUSR2) {
		fmt.Println("the signal is not caught:", err)
		os.Exit(1)
	}
	if failed := C.fork_amid((*[0]byte)(C.wake_by_signal)); failed != 0 {
		fmt.Println("not stopped in fork:", syscall.Errno(failed))
		return
	}
	forget()
	fmt.Println("forked")
}

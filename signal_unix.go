//go:build unix

package cgoheap

import (
	"os"
	"syscall"
)

// defaultSignals are those of DumpOnSignal where none are given.
var defaultSignals = []os.Signal{syscall.SIGUSR2}

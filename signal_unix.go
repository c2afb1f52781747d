//go:build unix

package cgoheap

import (
	"io/fs"
	"os"
	"syscall"
)

// defaultSignals are those of DumpOnSignal where none are given.
var defaultSignals = []os.Signal{syscall.SIGUSR2}

// isOwn reports whether a file belongs to the user that this process acts for.
func isOwn(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

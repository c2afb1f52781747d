//go:build !unix

package cgoheap

import (
	"io/fs"
	"os"
)

// defaultSignals are none: nothing can be recorded here, so there is no Profiler to dump.
var defaultSignals []os.Signal

func isOwn(fs.FileInfo) bool { return false }

package blackbox

import (
	"time"
	"unsafe"
)

// File is a file of this process, mapped.
type File struct {
	Pages         unsafe.Pointer
	Path          string
	Device, Inode uint64
}

// Options of Open.
type Options struct {
	// AnyUsers opens files of other users too: for a command that an administrator runs.
	AnyUsers bool

	// Within is how long it tries before it returns ErrAlive. The kernel may release the file of a process, and with it the lock, some
	// milliseconds after the process could be waited for, for example if the OOM killer still has its memory.
	Within time.Duration
}

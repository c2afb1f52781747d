//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// watch sleeps until a sample meets code of an unknown module, or finds that libraries have been loaded or closed, and
// then has the loaded files looked at. The shim says so through an eventfd, which a goroutine waits for without a thread
// of its own and without polling.
type watch struct {
	file *os.File // nil where there can be no eventfd: then only snapshots look
	done chan struct{}
}

// Code that belongs to no file (made at run time) wakes the watch in vain; it then waits longer before it looks again.
const (
	shortestPause = 10 * time.Millisecond
	longestPause  = 10 * time.Second
)

// eventfd makes the file. Tests put a function in its place that fails.
var eventfd = unix.Eventfd

func newWatch() *watch {
	w := &watch{done: make(chan struct{})}
	if fd, err := eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err == nil {
		w.file = os.NewFile(uintptr(fd), "eventfd")
	}
	return w
}

func (w *watch) fd() int {
	if w.file == nil {
		return -1
	}
	conn, err := w.file.SyscallConn()
	if err != nil {
		return -1
	}
	fd := -1
	if conn.Control(func(n uintptr) { fd = int(n) }) != nil {
		return -1
	}
	return fd
}

// run calls look whenever it is woken, until close.
func (w *watch) run(look func() (changed bool)) {
	if w.file == nil {
		return
	}
	pause := shortestPause
	var count [8]byte
	for {
		if _, err := w.file.Read(count[:]); err != nil {
			return
		}
		if look() {
			pause = shortestPause
		} else {
			pause = min(2*pause, longestPause)
		}
		select {
		case <-w.done:
			return
		case <-time.After(pause):
		}
	}
}

func (w *watch) close() {
	close(w.done)
	if w.file != nil {
		w.file.Close()
	}
}

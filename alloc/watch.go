//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"encoding/binary"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/cgo"
)

// watch sleeps until a sample asks for a look at the loaded files, and then has them looked at. The shim says so through
// an eventfd, which a goroutine waits for without a thread of its own and without polling.
//
// There are two reasons to ask. The loader has opened or closed libraries: then the look is due, shortestPause after the
// last one. Or a stack met code of no known module. That is usually code made at run time, and the look is in vain: so
// each look without a change doubles the pause before the next one for this reason.
type watch struct {
	file   *os.File // nil where there can be no eventfd: then only snapshots look
	done   chan struct{}
	opened func() bool // whether the loader has opened libraries since the last look; nil where samples notice that
}

// Tests change longer.
const (
	shortestPause = 10 * time.Millisecond
	longestPause  = 10 * time.Second
	askingPause   = 100 * time.Millisecond // between two calls of opened, which costs less than a look
)

var longer = func(pause time.Duration) time.Duration { return min(2*pause, longestPause) }

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

// run calls look whenever one is due, until close.
func (w *watch) run(look func() (changed bool)) {
	if w.file == nil {
		return
	}
	pause := shortestPause
	for last := time.Now(); w.await(last.Add(pause)); last = time.Now() {
		if look() {
			pause = shortestPause
		} else {
			pause = longer(pause)
		}
		select {
		case <-w.done:
			return
		case <-time.After(shortestPause):
		}
	}
}

// await returns when a look is due: one because of unknown code not before the given time. False after close.
func (w *watch) await(unknown time.Time) bool {
	asked := false
	for {
		until := time.Time{}
		if asked {
			until = w.next(unknown)
		}
		reasons, err := w.read(until)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			if !time.Now().Before(unknown) || w.opened != nil && w.opened() {
				return true
			}
		case err != nil:
			return false
		case reasons >= cgo.WakeLoaded:
			return true
		default:
			asked = true
		}
	}
}

// next is when a look for unknown code is due, or when to ask the loader before that.
func (w *watch) next(unknown time.Time) time.Time {
	if ask := time.Now().Add(askingPause); w.opened != nil && ask.Before(unknown) {
		return ask
	}
	return unknown
}

// read waits for samples to ask for a look, until the deadline unless it is zero, and returns the sum of their reasons.
func (w *watch) read(deadline time.Time) (uint64, error) {
	if err := w.file.SetReadDeadline(deadline); err != nil {
		return 0, err
	}
	var sum [8]byte
	_, err := w.file.Read(sum[:])
	return binary.NativeEndian.Uint64(sum[:]), err
}

func (w *watch) close() {
	close(w.done)
	if w.file != nil {
		w.file.Close()
	}
}

package gospans

import (
	"bytes"
	"encoding/binary"
	"errors"
	"reflect"
	"runtime"
	"strconv"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/background"
)

// trial is a goroutine that was begun to be recognised.
type trial struct {
	local   uint64 // address of a variable in its stack
	id      uint64 // goid, as tracebacks print it
	entry   uint64 // pc of its function
	starter string // name of the function that began it
	status  uint32 // that it must have while it waits

	g, lo, hi uint64 // what was found
}

// trials are two goroutines that wait on a channel and one that waits in a system call.
type trials struct {
	all    []*trial
	leave  chan struct{}
	pipe   [2]int
	ended  sync.Once
	closed error
	finish sync.WaitGroup
}

func begin() (*trials, error) {
	ts := &trials{leave: make(chan struct{})}
	if err := unix.Pipe2(ts.pipe[:], unix.O_CLOEXEC); err != nil {
		return nil, err
	}
	ts.finish.Add(3)
	ready := make(chan *trial, 3)
	beginFirst(ts, ready)
	beginSecond(ts, ready)
	beginInCall(ts, ready)
	for range 3 {
		ts.all = append(ts.all, <-ready)
	}
	return ts, nil
}

//go:noinline
func beginFirst(ts *trials, ready chan<- *trial) {
	var t trial
	guarded := func() {
		defer ts.finish.Done()
		background.Run("a goroutine to be found", func() { ts.wait(&t, ready) }, nil)
	}
	t.begunBy(guarded)
	go guarded()
}

//go:noinline
func beginSecond(ts *trials, ready chan<- *trial) {
	var t trial
	guarded := func() {
		defer ts.finish.Done()
		background.Run("another goroutine to be found", func() { ts.wait(&t, ready) }, nil)
	}
	t.begunBy(guarded)
	go guarded()
}

//go:noinline
func beginInCall(ts *trials, ready chan<- *trial) {
	var t trial
	guarded := func() {
		defer ts.finish.Done()
		background.Run("a goroutine in a system call", func() { ts.call(&t, ready) }, nil)
	}
	t.begunBy(guarded)
	go guarded()
}

// begunBy notes the function of a goroutine, and the caller, which begins it.
func (t *trial) begunBy(f func()) {
	t.entry = uint64(reflect.ValueOf(f).Pointer())
	pc, _, _, _ := runtime.Caller(1)
	t.starter = functionOf(uint64(pc))
}

// functionOf returns the name of the Go function at an address, "" if there is none.
func functionOf(pc uint64) string {
	if f := runtime.FuncForPC(uintptr(pc)); f != nil {
		return f.Name()
	}
	return ""
}

//go:noinline
func (ts *trials) wait(t *trial, ready chan<- *trial) {
	var local uint64
	t.local, t.id, t.status = uint64(uintptr(unsafe.Pointer(&local))), ownID(), waiting
	ready <- t
	<-ts.leave
	runtime.KeepAlive(&local)
}

//go:noinline
func (ts *trials) call(t *trial, ready chan<- *trial) {
	var local uint64
	t.local, t.id, t.status = uint64(uintptr(unsafe.Pointer(&local))), ownID(), inCall
	ready <- t
	var b [1]byte
	_, _ = unix.Read(ts.pipe[0], b[:]) // until the other end is closed
	runtime.KeepAlive(&local)
}

// ownID returns the number of the calling goroutine.
func ownID() uint64 {
	b := make([]byte, 64)
	b = bytes.TrimPrefix(b[:runtime.Stack(b, false)], []byte("goroutine "))
	digits, _, _ := bytes.Cut(b, []byte(" "))
	id, _ := strconv.ParseUint(string(digits), 10, 64)
	return id
}

// end has the goroutines end, and returns when they have.
func (ts *trials) end() {
	ts.ended.Do(func() {
		close(ts.leave)
		ts.closed = unix.Close(ts.pipe[1])
		ts.finish.Wait()
		ts.closed = errors.Join(ts.closed, unix.Close(ts.pipe[0]))
	})
}

// patience is how long a goroutine may take to wait or to end.
const patience = time.Second

// status returns the field that has the status of a goroutine, after all trials have begun to wait.
func (ts *trials) status() []uint32 {
	return ts.await(func(t *trial, b []byte) bool { return statusIn(b) == t.status })
}

// endedStatus is status for when all trials have ended.
func (ts *trials) endedStatus() []uint32 {
	ts.end()
	return ts.await(func(_ *trial, b []byte) bool { return statusIn(b) == dead })
}

func statusIn(b []byte) uint32 { return binary.NativeEndian.Uint32(b) &^ scanning }

// await returns where the field is, as soon as it is anywhere.
func (ts *trials) await(is func(t *trial, b []byte) bool) (offsets []uint32) {
	for end := time.Now().Add(patience); len(offsets) == 0 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		offsets = ts.where(4, is)
	}
	return offsets
}

package background

import (
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// alert is raised once, and may be waited for without a timer.
type alert struct{ raised uint32 }

func newAlert() *alert { return new(alert) }

func (a *alert) raise() {
	const all = 1 << 30
	atomic.StoreUint32(&a.raised, 1)
	a.futex(futexWake, all, nil)
}

// wait reports whether it was raised within a time. It keeps a thread; who raises it may need this one's processor first.
func (a *alert) wait(limit time.Duration) bool {
	begin := time.Now()
	for range 10 {
		if atomic.LoadUint32(&a.raised) == 1 {
			return true
		}
		runtime.Gosched()
	}
	for atomic.LoadUint32(&a.raised) == 0 {
		left := unix.NsecToTimespec(int64(limit - time.Since(begin)))
		if left.Sec < 0 || left.Nsec < 0 {
			return false
		}
		a.futex(futexWait, 0, &left)
	}
	return true
}

// From linux/futex.h.
const (
	futexWait = 0
	futexWake = 1
)

func (a *alert) futex(operation, value uintptr, within *unix.Timespec) {
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&a.raised)), operation, value, uintptr(unsafe.Pointer(within)), 0, 0)
}

package descriptor

import (
	"errors"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

const setBytes = 8 // of the kernel's signal set

// Quietly makes a call that writes, and keeps from the program the signals that the kernel may send for that: SIGPIPE where nobody
// reads, and SIGXFSZ at RLIMIT_FSIZE. Their default action ends the process. Go's handler ignores them, but a host that is not Go's
// need not have it. The call's error stays.
func Quietly(call func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var sent, before unix.Sigset_t
	sent.Val[0] = 1<<(unix.SIGPIPE-1) | 1<<(unix.SIGXFSZ-1)
	if unix.PthreadSigmask(unix.SIG_BLOCK, &sent, &before) != nil {
		return call()
	}
	err := call()
	sent.Val[0] &^= before.Val[0] // what the program blocks itself stays pending, as it would
	if errors.Is(err, unix.EPIPE) || errors.Is(err, unix.EFBIG) {
		take(&sent)
	}
	_ = unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil)
	return err
}

// take removes a pending signal of the set.
func take(pending *unix.Sigset_t) {
	atOnce := unix.Timespec{}
	_, _, _ = unix.Syscall6(unix.SYS_RT_SIGTIMEDWAIT, uintptr(unsafe.Pointer(pending)), 0, uintptr(unsafe.Pointer(&atOnce)), setBytes, 0, 0)
}

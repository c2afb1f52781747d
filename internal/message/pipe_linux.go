package message

import (
	"errors"
	"os"
	"os/signal"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// write is os.File's without what that does if nobody reads the file.
func write(file *os.File, text []byte) error {
	conn, err := file.SyscallConn()
	if err != nil {
		return err
	}
	failed := conn.Write(func(descriptor uintptr) bool {
		for len(text) > 0 {
			n := 0
			if n, err = writeWithoutSignal(int(descriptor), text); errors.Is(err, unix.EAGAIN) {
				return false
			}
			if err != nil && !errors.Is(err, unix.EINTR) {
				return true
			}
			text = text[max(n, 0):]
		}
		return true
	})
	return errors.Join(err, failed)
}

// writeWithoutSignal keeps SIGPIPE from the thread: where the host is not Go's, its action may be the default one.
func writeWithoutSignal(descriptor int, text []byte) (int, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var pipe, before unix.Sigset_t
	pipe.Val[0] = 1 << (unix.SIGPIPE - 1)
	if unix.PthreadSigmask(unix.SIG_BLOCK, &pipe, &before) != nil || before.Val[0]&pipe.Val[0] != 0 {
		return unix.Write(descriptor, text)
	}
	n, err := unix.Write(descriptor, text)
	if errors.Is(err, unix.EPIPE) {
		takeSignal(&pipe)
	}
	_ = unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil)
	return n, err
}

func takeSignal(pending *unix.Sigset_t) {
	const setBytes = 8
	atOnce := unix.Timespec{}
	_, _, _ = unix.Syscall6(unix.SYS_RT_SIGTIMEDWAIT, uintptr(unsafe.Pointer(pending)), 0, uintptr(unsafe.Pointer(&atOnce)), setBytes, 0, 0)
}

// waitForBrokenPipes has the program wait for SIGPIPE until stop is called, if nobody reads standard output or standard error any
// more. A program that ignores the signal goes on to.
func waitForBrokenPipes() (stop func()) {
	if !isBroken(unix.Stdout) && !isBroken(unix.Stderr) || signal.Ignored(unix.SIGPIPE) {
		return func() {}
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, unix.SIGPIPE)
	return func() { signal.Stop(signals) }
}

func isBroken(descriptor int) bool {
	state := []unix.PollFd{{Fd: int32(descriptor)}}
	n, err := unix.Poll(state, 0)
	return err == nil && n > 0 && state[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}

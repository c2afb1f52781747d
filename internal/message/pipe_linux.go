package message

import (
	"errors"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/descriptor"
)

// write is os.File's without what that does if nobody reads the file, or if it may not grow.
func write(file *os.File, text []byte) error {
	conn, err := file.SyscallConn()
	if err != nil {
		return err
	}
	failed := conn.Write(func(fd uintptr) bool {
		for len(text) > 0 {
			n := 0
			err = descriptor.Quietly(func() (err error) { n, err = unix.Write(int(fd), text); return err })
			if errors.Is(err, unix.EAGAIN) {
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

func isBroken(fd int) bool {
	state := []unix.PollFd{{Fd: int32(fd)}}
	n, err := unix.Poll(state, 0)
	return err == nil && n > 0 && state[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}

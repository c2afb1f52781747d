//go:build unix

package auto

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

func defaultSignals() []os.Signal { return []os.Signal{syscall.SIGUSR2} }

// signalName returns a signal's name as a variable may have it.
func signalName(s os.Signal) string {
	return strings.TrimPrefix(unix.SignalName(s.(syscall.Signal)), "SIG")
}

// parseSignal accepts USR2, SIGUSR2 and 12. Signals that cannot be caught are invalid, and so are those that the Go runtime
// and the C library use themselves: URG and PROF arrive all the time, and 32 to 34 never do.
func parseSignal(value string) (os.Signal, error) {
	n, err := strconv.Atoi(value)
	s := syscall.Signal(n)
	if err != nil {
		s = unix.SignalNum("SIG" + strings.TrimPrefix(strings.ToUpper(value), "SIG"))
	}
	if s <= 0 || s > 64 || s == syscall.SIGKILL || s == syscall.SIGSTOP {
		return nil, errors.New("it must be none, or the name or the number of a signal that can be caught, such as USR2 or 12")
	}
	if s == syscall.SIGURG || s == syscall.SIGPROF || s >= 32 && s <= 34 {
		return nil, errors.New("the Go runtime or the C library uses that signal; it must be another, such as USR2, or none")
	}
	return s, nil
}

//go:build unix

package auto

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

func defaultSignals() []os.Signal { return []os.Signal{syscall.SIGUSR2} }

// parseSignal takes USR2, SIGUSR2 and 12. Those that cannot be caught make no sense, nor do those that the Go runtime and the C
// library use for themselves: URG and PROF would never stop, and from 32 to 34 none arrives.
func parseSignal(value string) (os.Signal, error) {
	n, err := strconv.Atoi(value)
	s := syscall.Signal(n)
	if err != nil {
		s = unix.SignalNum("SIG" + strings.TrimPrefix(strings.ToUpper(value), "SIG"))
	}
	if s <= 0 || s > 64 || s == syscall.SIGKILL || s == syscall.SIGSTOP {
		return nil, fmt.Errorf("it is not a signal that can be caught")
	}
	if s == syscall.SIGURG || s == syscall.SIGPROF || s >= 32 && s <= 34 {
		return nil, fmt.Errorf("the runtime uses that signal")
	}
	return s, nil
}

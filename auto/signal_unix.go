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

// parseSignal takes USR2, SIGUSR2 and 12. Those that cannot be caught make no sense.
func parseSignal(value string) (os.Signal, error) {
	n, err := strconv.Atoi(value)
	s := syscall.Signal(n)
	if err != nil {
		s = unix.SignalNum("SIG" + strings.TrimPrefix(strings.ToUpper(value), "SIG"))
	}
	if s <= 0 || s > 64 || s == syscall.SIGKILL || s == syscall.SIGSTOP {
		return nil, fmt.Errorf("it is not a signal that can be caught")
	}
	return s, nil
}

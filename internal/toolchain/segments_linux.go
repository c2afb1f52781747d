package toolchain

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"
)

// NeedsSegment skips a test where the error that blackbox.NewSegment has returned says that calls are filtered.
func NeedsSegment(t testing.TB, err error) {
	t.Helper()
	if mode, failed := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0); errors.Is(err, unix.EPERM) && failed == nil && mode != 0 {
		t.Skip("a seccomp filter is in force, so no tables lie in shared memory")
	}
}

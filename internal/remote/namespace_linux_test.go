package remote

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/usage"
)

// Where /proc is of another PID namespace, its numbers and those of ptrace are of different processes: none is stopped.
func TestNumbersOfAnotherNamespaceAreNotRead(t *testing.T) {
	const inner = "CGOHEAP_TEST_INNER"
	if os.Getenv(inner) != "" {
		if _, err := Read(os.Getppid()); !errors.Is(err, usage.ErrStrangeNumbers) {
			t.Errorf("%v, want that the numbers are strangers'", err)
		}
		if _, err := ReadResident(os.Getpid()); !errors.Is(err, usage.ErrStrangeNumbers) {
			t.Errorf("%v, want that the numbers are strangers'", err)
		}
		return
	}
	c := exec.Command("/proc/self/exe", "-test.v", "-test.run=^"+t.Name()+"$")
	c.Env = append(os.Environ(), inner+"=1")
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID}
	out, err := c.CombinedOutput()
	if errors.Is(err, os.ErrPermission) {
		t.Skip("the kernel allows no namespaces: ", err)
	}
	if err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Errorf("%v\n%s", err, out)
	}
}

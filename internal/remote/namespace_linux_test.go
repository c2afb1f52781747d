package remote

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/layout"
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

// Whose clock shows another time than the reader's, in another time namespace, is read with the ages that it knows itself.
func TestClocksOfAnotherNamespace(t *testing.T) {
	const inner, bound = "CGOHEAP_TEST_CLOCK", uint64(time.Hour / layout.Tick) // the clocks are a day apart
	clock := func() uint64 {
		var now unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_MONOTONIC_COARSE, &now); err != nil {
			t.Fatal(err)
		}
		return uint64(now.Nano())
	}
	check := func(dir string, began uint64) {
		t.Helper()
		if ticks, err := ticksSince(dir, began); ticks > bound || err != nil {
			t.Errorf("%d ticks since just now, %v", ticks, err)
		}
	}
	if others, err := strconv.ParseUint(os.Getenv(inner), 10, 64); err == nil {
		check("/proc/"+os.Args[len(os.Args)-1], others)
		fmt.Printf("clock %d %d\n", os.Getpid(), clock())
		_, _ = os.Stdin.Read(make([]byte, 1))
		return
	}
	for _, shift := range []string{"100000", "-100000"} {
		if strings.HasPrefix(shift, "-") && clock() < uint64(200000*time.Second) {
			continue // a clock cannot begin below 0
		}
		c := exec.Command("unshare", "--time", "--fork", "--monotonic", shift, "--boottime", shift,
			os.Args[0], "-test.v", "-test.run=^"+t.Name()+"$", strconv.Itoa(os.Getpid()))
		c.Env = append(os.Environ(), inner+"="+strconv.FormatUint(clock(), 10))
		in, inErr := c.StdinPipe()
		out, outErr := c.StdoutPipe()
		if err := errors.Join(inErr, outErr, c.Start()); err != nil {
			t.Skip("the kernel allows no namespaces: ", err)
		}
		began, lines := false, bufio.NewScanner(out)
		for lines.Scan() {
			var pid int
			var theirs uint64
			if _, err := fmt.Sscanf(lines.Text(), "clock %d %d", &pid, &theirs); err == nil {
				began = true
				check("/proc/"+strconv.Itoa(pid), theirs)
				in.Close()
			} else if strings.Contains(lines.Text(), "ticks since") {
				t.Error("inside: ", lines.Text())
			}
		}
		if err := c.Wait(); !began {
			t.Skip("the kernel allows no namespaces: ", err)
		} else if err != nil {
			t.Error(err)
		}
	}
}

package usage

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const innerKind = "CGOHEAP_TEST_INNER"

// inner runs a test again in a process with such flags of clone(2); there it returns true.
func inner(t *testing.T, flags uintptr) bool {
	t.Helper()
	if os.Getenv(innerKind) != "" {
		return true
	}
	c := exec.Command("/proc/self/exe", "-test.v", "-test.run=^"+t.Name()+"$")
	c.Env = append(os.Environ(), innerKind+"=1")
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
	out, err := c.CombinedOutput()
	if errors.Is(err, os.ErrPermission) {
		t.Skip("the kernel allows no namespaces: ", err)
	}
	if err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Fatalf("%v\n%s", err, out)
	}
	return false
}

func numbersHere(t *testing.T, status string, want int) {
	t.Helper()
	numbers, err := numbersIn(status)
	if err != nil || numbers[len(numbers)-1] != want {
		t.Errorf("%s: %d, %v, want %d", status, numbers, err, want)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// In a PID namespace of its own, with the /proc of the one around, a process's numbers are strangers' there.
func TestNumbersWithTheProcOfOutside(t *testing.T) {
	if err := Running.OwnNumbers(); os.Getenv(innerKind) == "" && err != nil {
		t.Errorf("outside: %v", err)
	}
	if !inner(t, unix.CLONE_NEWPID) {
		return
	}
	if err := Running.OwnNumbers(); !errors.Is(err, ErrStrangeNumbers) {
		t.Fatalf("%v, want that the numbers are strangers'", err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := Running.ChildrenStay(); err != nil {
		t.Error(err)
	}
	numbersHere(t, Running.Tasks().File(unix.Gettid(), "status"), unix.Gettid())
	if path := Running.Tasks().File(1<<30, "status"); exists(path) {
		t.Errorf("%s is of no thread", path)
	}
	child := exec.Command("sleep", "1000")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	dir, err := Running.Child(child.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	numbersHere(t, dir+"/status", child.Process.Pid)
	_ = child.Process.Kill()
	_ = child.Wait()
	if dir, err := Running.Child(child.Process.Pid); err == nil {
		t.Errorf("a child that has ended is %s", dir)
	}
}

// A thread that has left its namespace for its children makes no child by which that could be noticed.
func TestChildrenOfAThreadThatHasLeftItsNamespace(t *testing.T) {
	runtime.LockOSThread() // the thread ends with the goroutine
	if err := Running.ChildrenStay(); err != nil {
		t.Fatal(err)
	}
	if err := unix.Unshare(unix.CLONE_NEWPID); err != nil {
		t.Skip("the kernel allows no namespaces: ", err)
	}
	if err := Running.ChildrenStay(); !errors.Is(err, errOtherNamespace) {
		t.Errorf("%v, want that its children leave", err)
	}
}

func TestNumbersOfKernelsThatTellLess(t *testing.T) {
	for about, c := range map[string]struct {
		status, link string
		want         error
	}{
		"one number":      {"Pid:\t7\nNSpid:\t7\n", "7", nil},
		"two numbers":     {"Pid:\t700\nNSpid:\t700\t7\n", "700", ErrStrangeNumbers},
		"no list, own":    {"Pid:\t7\n", strconv.Itoa(os.Getpid()), nil},
		"no list, not":    {"Pid:\t7\n", strconv.Itoa(os.Getpid() + 1), ErrStrangeNumbers},
		"nothing mounted": {"", "", os.ErrNotExist},
	} {
		k := Kernel{Proc: t.TempDir()}
		if c.link != "" {
			if err := errors.Join(os.Mkdir(k.Proc+"/"+c.link, 0o700), os.Symlink(c.link, k.Proc+"/self"),
				os.WriteFile(k.Proc+"/"+c.link+"/status", []byte(c.status), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		if err := k.OwnNumbers(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", about, err, c.want)
		}
	}
}

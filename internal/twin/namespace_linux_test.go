//go:build (amd64 || arm64) && cgo && !asan && !msan

package twin

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/account"
)

const strangersNames = "CGOHEAP_TEST_STRANGERS"

// In a PID namespace with the /proc of the one around, the copy's number is a stranger's there. It must be left alone.
func TestACopyLeavesAloneWhoHasItsNumberOutside(t *testing.T) {
	if numbers := os.Getenv(strangersNames); numbers != "" {
		lookAsStranger(t, strings.Fields(numbers))
		return
	}
	var numbers []string
	for range 20 {
		c := exec.Command("sleep", "1000")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _, _ = c.Process.Kill(), c.Wait() }()
		numbers = append(numbers, strconv.Itoa(c.Process.Pid))
	}
	before := adjustments(t, numbers)
	c := exec.Command("/proc/self/exe", "-test.v", "-test.run=^"+t.Name()+"$")
	c.Env = append(os.Environ(), strangersNames+"="+strings.Join(numbers, " "))
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID}
	out, err := c.CombinedOutput()
	if errors.Is(err, os.ErrPermission) {
		t.Skip("the kernel allows no namespaces: ", err)
	}
	if strings.Contains(string(out), nextNumber) {
		t.Skip("the kernel allows no ", nextNumber)
	}
	if err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Errorf("%v\n%s", err, out)
	}
	if after := adjustments(t, numbers); !slices.Equal(before, after) {
		t.Errorf("strangers have oom_score_adj %q, had %q", after, before)
	}
}

func adjustments(t *testing.T, numbers []string) (list []string) {
	t.Helper()
	for _, number := range numbers {
		text, err := os.ReadFile(filepath.Join("/proc", number, "oom_score_adj"))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, strings.TrimSpace(string(text)))
	}
	return list
}

// nextNumber is where a process says which number the next one in its namespace has.
const nextNumber = "kernel/ns_last_pid:"

// lookAsStranger has copies look until one has had a stranger's number, and had a lower priority and the highest score itself.
func lookAsStranger(t *testing.T, numbers []string) {
	first, err := strconv.Atoi(numbers[0])
	if err != nil {
		t.Fatal(err)
	}
	a := ask(t)
	a.Stacks = func() []account.Stack {
		if err := os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte(strconv.Itoa(first-1)), 0); err != nil {
			t.Fatalf("%s %v", nextNumber, err)
		}
		return nil
	}
	word, block := mapped(t, 4096, unix.MAP_PRIVATE), mapped(t, 4096, unix.MAP_PRIVATE)
	store(word, block^hidden)
	met := false
	made = func(pid int) {
		met = slices.Contains(numbers, strconv.Itoa(pid))
		dir, err := a.Kernel.Child(pid)
		if err != nil {
			t.Fatal(err)
		}
		if score := adjustments(t, []string{filepath.Base(dir)})[0]; score != "1000" {
			t.Errorf("the copy has oom_score_adj %s", score)
		}
		ours, _ := unix.Getpriority(unix.PRIO_PROCESS, 0)
		if its, err := unix.Getpriority(unix.PRIO_PROCESS, pid); err != nil || its != max(ours-lower, 1) {
			t.Errorf("the copy has priority %d, we have %d: %v", its, ours, err)
		}
	}
	defer func() { made = nil }()
	for !met {
		found, _ := look(t, &a, []uint64{block}, func(int) uint64 { return 4096 })
		if found[0].Holder == 0 {
			t.Error("nothing holds the block")
		}
	}
}

// A thread that has left its PID namespace for its children would make the copy the first process of a new one, in which none can be made
// after the copy's end.
func TestNoCopyBeginsANamespace(t *testing.T) {
	runtime.LockOSThread() // the thread ends with the goroutine
	if err := unix.Unshare(unix.CLONE_NEWPID); err != nil {
		t.Skip("the kernel allows no namespaces: ", err)
	}
	a := ask(t)
	w, err := New(&a, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Free()
	if _, err := Look(w, &a); err == nil || !strings.Contains(err.Error(), "PID namespace") {
		t.Errorf("%v, want that no copy was made", err)
	}
	c := exec.Command("true")
	if err := c.Run(); err != nil { // the first process of the new namespace
		t.Error("the thread's own child: ", err)
	}
}

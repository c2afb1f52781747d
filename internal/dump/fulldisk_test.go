//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package dump

import (
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// filesOf keeps every file that the process writes below that many bytes: as good as a full disk, for any user.
func filesOf(t *testing.T, bytes uint64) (free func()) {
	t.Helper()
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Fatal(err)
		}
	}
}

// defaultAction is what a signal has in a host that is not Go's.
func defaultAction(of syscall.Signal) {
	var action [4]uint64
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(of), uintptr(unsafe.Pointer(&action)), 0, 8, 0, 0)
}

// alone runs this test in a process of its own, because `go test` has the tests' process write a log meanwhile. It is
// true in that process.
func alone(t *testing.T) bool {
	t.Helper()
	const variable = "CGOHEAP_TEST_ALONE"
	if os.Getenv(variable) != "" {
		return true
	}
	command := exec.Command(os.Args[0], "-test.v", "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$")
	command.Env = append(os.Environ(), variable+"=1")
	if out, err := command.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

func TestFullDisk(t *testing.T) {
	t.Run("the error is logged, no file is left, and the next signal works", func(t *testing.T) {
		if !alone(t) {
			return
		}
		defaultAction(syscall.SIGXFSZ)
		c, log := logging()
		dir := t.TempDir()
		dumpInto(t, c, dir)
		free := filesOf(t, uint64(len(profileText)/2))
		send(t, syscall.SIGUSR2)
		failed := log.next(t, slog.LevelError)
		free()
		if err := failed["error"].String(); err == "" {
			t.Errorf("%v", failed)
		}
		if names := namesIn(t, dir); len(names) != 0 {
			t.Errorf("%q are left", names)
		}
		send(t, syscall.SIGUSR2)
		log.next(t, slog.LevelInfo)
		if names := namesIn(t, dir); len(names) != 1 {
			t.Errorf("%q are there", names)
		}
	})

	t.Run("a directory that is gone is an error of that signal alone", func(t *testing.T) {
		c, log := logging()
		dir := t.TempDir()
		inside := dir + "/inside"
		if err := syscall.Mkdir(inside, 0o700); err != nil {
			t.Fatal(err)
		}
		dumpInto(t, c, inside)
		if err := syscall.Rmdir(inside); err != nil {
			t.Fatal(err)
		}
		send(t, syscall.SIGUSR2)
		log.next(t, slog.LevelError)
		if err := syscall.Mkdir(inside, 0o700); err != nil {
			t.Fatal(err)
		}
		send(t, syscall.SIGUSR2)
		log.next(t, slog.LevelInfo)
	})
}

package descriptor

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// withoutStandardFiles runs the calling test again in a process that has closed 0, 1 and 2, with a directory. What it reports there is
// in a file of the directory, whose content is returned.
func withoutStandardFiles(t *testing.T, do func(dir string) string) string {
	t.Helper()
	if dir := os.Getenv("TEST_DESCRIPTOR_DIR"); dir != "" {
		for fd := range 3 {
			_ = unix.Close(fd)
		}
		text := do(dir)
		if os.WriteFile(filepath.Join(dir, "report"), []byte(text), 0o600) != nil {
			os.Exit(3)
		}
		os.Exit(0)
	}
	dir := t.TempDir()
	command := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	command.Env = append(os.Environ(), "TEST_DESCRIPTOR_DIR="+dir)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "report"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestNothingIsOpenedAtTheNumbersOfStandardFiles(t *testing.T) {
	got := withoutStandardFiles(t, func(dir string) string {
		made, err := CreateTemp(dir, "made-*.tmp")
		if err != nil {
			return err.Error()
		}
		for fd := range 3 { // a program that does not know that they are closed
			_, _ = unix.Write(fd, []byte("a message"))
		}
		read, err := Open(made.Name())
		if err != nil {
			return err.Error()
		}
		if made.Fd() < 3 || read.Fd() < 3 {
			return "at a low number"
		}
		_, _ = made.WriteString("what was written")
		text, err := io.ReadAll(read)
		for fd := range 3 {
			if _, failed := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); failed == nil {
				return "a number is still taken"
			}
		}
		if err != nil {
			return err.Error()
		}
		return string(text)
	})
	if got != "what was written" {
		t.Error(got)
	}
}

func TestAFileThatTheProgramPutsThereMeanwhileStays(t *testing.T) {
	got := withoutStandardFiles(t, func(dir string) string {
		release := occupy()
		theirs, err := unix.Open(filepath.Join(dir, "log"), unix.O_CREAT|unix.O_WRONLY, 0o600)
		if err != nil || unix.Dup3(theirs, 1, 0) != nil {
			return "the program cannot put it there"
		}
		release()
		if _, err := unix.Write(1, []byte("a message")); err != nil {
			return err.Error()
		}
		if _, err := unix.FcntlInt(2, unix.F_GETFD, 0); err == nil {
			return "a number is still taken"
		}
		text, _ := os.ReadFile(filepath.Join(dir, "log"))
		return string(text)
	})
	if got != "a message" {
		t.Error(got)
	}
}

func TestFilesAreClosedWhereAProgramIsExecuted(t *testing.T) {
	f, err := CreateTemp(t.TempDir(), "made-*.tmp")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFD, 0)
	if err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Error(flags, err)
	}
	if name := filepath.Base(f.Name()); !strings.HasPrefix(name, "made-") || !strings.HasSuffix(name, ".tmp") {
		t.Error(name)
	}
	if info, err := f.Stat(); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
}

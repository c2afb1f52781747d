//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package dump

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

func namesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func checkDump(t *testing.T, path string) {
	t.Helper()
	t.Run("its name has program, process, UTC time and number", func(t *testing.T) {
		parts := regexp.MustCompile(`^(.+)\.(\d+)\.(\d{8}T\d{6}Z)\.(\d+)\.cgoheap\.pb\.gz$`).FindStringSubmatch(filepath.Base(path))
		if parts == nil || parts[1] != filepath.Base(os.Args[0]) || parts[2] != fmt.Sprint(os.Getpid()) {
			t.Fatalf("%s: %q", path, parts)
		}
		if when, err := time.Parse("20060102T150405Z", parts[3]); err != nil || when.Before(began.Add(-time.Second)) || when.After(time.Now()) {
			t.Error(parts[3], err)
		}
	})

	t.Run("only its owner may read it", func(t *testing.T) {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != 0o600 {
			t.Error(info.Mode())
		}
	})

	t.Run("it is the profile", func(t *testing.T) {
		if text, err := os.ReadFile(path); err != nil || string(text) != profileText {
			t.Errorf("%q, %v", text, err)
		}
	})
}

func TestDump(t *testing.T) {
	c, log := logging()
	var stopped atomic.Bool
	c.Write = func(w io.Writer) error {
		if stopped.Load() {
			return errors.New("the profiler was stopped")
		}
		return writeProfile(w)
	}
	dir := t.TempDir()
	dumpInto(t, c, dir)
	send(t, syscall.SIGUSR2)
	path := log.next(t, slog.LevelInfo)["path"].String()
	checkDump(t, path)

	t.Run("its path is logged, and nothing else is in the directory", func(t *testing.T) {
		if names := namesIn(t, dir); len(names) != 1 || filepath.Join(dir, names[0]) != path {
			t.Errorf("%q was logged, and there are %q", path, names)
		}
	})

	t.Run("the next one has another name", func(t *testing.T) {
		send(t, syscall.SIGUSR2)
		if next := log.next(t, slog.LevelInfo)["path"].String(); next == path {
			t.Error(path)
		}
	})

	t.Run("a profile that cannot be written is an error, and no file", func(t *testing.T) {
		stopped.Store(true)
		before := len(namesIn(t, dir))
		send(t, syscall.SIGUSR2)
		if err := log.next(t, slog.LevelError)["error"].String(); !strings.Contains(err, "stopped") {
			t.Error(err)
		}
		if names := namesIn(t, dir); len(names) != before {
			t.Errorf("%q", names)
		}
	})
}

func TestDumpDirectory(t *testing.T) {
	c, _ := logging()
	c.Signals = DefaultSignals()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{
		"that does not exist":              filepath.Join(t.TempDir(), "missing"),
		"that is a file":                   file,
		"without a name":                   "",
		"where nobody, root included, may": "/proc",
	} {
		t.Run("one "+name+" is an error at once", func(t *testing.T) {
			c.Dir = dir
			if dumps, err := Start(c); err == nil {
				dumps.Stop()
				t.Error("no error")
			} else if !strings.HasPrefix(err.Error(), "dump directory: "+dir) || strings.Contains(err.Error(), ".tmp") {
				t.Error(err)
			}
		})
	}

	t.Run("one that may not be written is an error at once", func(t *testing.T) {
		if os.Getuid() == 0 {
			t.Skip("root may write everywhere")
		}
		c.Dir = t.TempDir()
		if err := os.Chmod(c.Dir, 0o500); err != nil {
			t.Fatal(err)
		}
		if dumps, err := Start(c); err == nil {
			dumps.Stop()
			t.Error("no error")
		}
	})
}

func TestDumpDirectoryStays(t *testing.T) {
	c, log := logging()

	t.Run("a relative one stays where it was when the program goes elsewhere", func(t *testing.T) {
		dir := t.TempDir()
		t.Chdir(dir)
		dumpInto(t, c, ".")
		t.Chdir(t.TempDir())
		send(t, syscall.SIGUSR2)
		if path := log.next(t, slog.LevelInfo)["path"].String(); filepath.Dir(path) != dir || len(namesIn(t, dir)) != 1 {
			t.Errorf("%s, not in %s", path, dir)
		}
	})

	t.Run("trying it leaves nothing there", func(t *testing.T) {
		dir := t.TempDir()
		dumpInto(t, c, dir)
		if names := namesIn(t, dir); len(names) != 0 {
			t.Errorf("%q", names)
		}
	})
}

func TestManySignals(t *testing.T) {
	t.Run("those that arrive during a dump make one more together", func(t *testing.T) {
		c, log := logging()
		dir := t.TempDir()
		dumpInto(t, c, dir)
		send(t, syscall.SIGUSR2)
		eventually(t, "the first dump is there", func() bool {
			names := namesIn(t, dir)
			return len(names) == 1 && strings.HasSuffix(names[0], ".cgoheap.pb.gz")
		})
		arrived := make(chan os.Signal, 1)
		signal.Notify(arrived, syscall.SIGUSR2)
		for range 50 {
			send(t, syscall.SIGUSR2)
		}
		signal.Stop(arrived) // returns when all of them were passed on
		log.next(t, slog.LevelInfo)
		log.next(t, slog.LevelInfo)
		send(t, syscall.SIGUSR2)
		log.next(t, slog.LevelInfo)
		if n := len(namesIn(t, dir)); n != 3 {
			t.Errorf("%d dumps, want one, one of 50 signals, and one", n)
		}
	})
}

func TestWhichSignalsDump(t *testing.T) {
	t.Run("the ones that were asked for are answered, and SIGUSR2 is not", func(t *testing.T) {
		c, log := logging()
		dir := t.TempDir()
		other := make(chan os.Signal, 1)
		signal.Notify(other, syscall.SIGUSR2) // it would end the program
		defer signal.Stop(other)
		dumpInto(t, c, dir, syscall.SIGUSR1, syscall.SIGWINCH)
		send(t, syscall.SIGUSR2)
		<-other
		for _, s := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGWINCH} {
			send(t, s)
			if got := log.next(t, slog.LevelInfo)["signal"].String(); got != s.String() {
				t.Errorf("%s, want %s", got, s)
			}
		}
		if n := len(namesIn(t, dir)); n != 2 {
			t.Errorf("%d dumps", n)
		}
	})
}

func TestEndOfDumps(t *testing.T) {
	t.Run("stop lets them go, waits for the dump, and may be called again", func(t *testing.T) {
		c, log := logging()
		dir := t.TempDir()
		stop := dumpInto(t, c, dir, syscall.SIGWINCH) // which is ignored otherwise
		send(t, syscall.SIGWINCH)
		eventually(t, "the dump is there", func() bool { return len(namesIn(t, dir)) == 1 })
		stopped := make(chan bool)
		go func() {
			stop()
			close(stopped)
		}()
		select {
		case <-stopped:
			t.Error("it did not wait for the dump, which has not been logged yet")
		case <-time.After(50 * time.Millisecond): // longer makes no difference while all is well
		}
		log.next(t, slog.LevelInfo)
		<-stopped
		stop()
		send(t, syscall.SIGWINCH)
		if n := len(namesIn(t, dir)); n != 1 {
			t.Errorf("%d dumps", n)
		}
	})
}

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package dump

import (
	"context"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// logbook is a slog.Handler that passes on what is said of dumps. A dump is not over before its record is read.
type logbook chan slog.Record

func (l logbook) Enabled(context.Context, slog.Level) bool { return true }
func (l logbook) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l logbook) WithGroup(string) slog.Handler            { return l }

func (l logbook) Handle(_ context.Context, r slog.Record) error {
	if strings.Contains(r.Message, "dump") {
		l <- r
	}
	return nil
}

// next waits for a record, which must be of that level.
func (l logbook) next(t *testing.T, level slog.Level) map[string]slog.Value {
	t.Helper()
	select {
	case r := <-l:
		if r.Level != level {
			t.Fatalf("%v: %v", r.Message, attributes(r))
		}
		return attributes(r)
	case <-time.After(10 * time.Minute):
		t.Fatal("nothing was logged")
		return nil
	}
}

// discard reads what is left, so that dumps of which the test knows nothing can end.
func (l logbook) discard() {
	for range l {
	}
}

func attributes(r slog.Record) map[string]slog.Value {
	values := make(map[string]slog.Value)
	r.Attrs(func(a slog.Attr) bool {
		values[a.Key] = a.Value
		return true
	})
	return values
}

// profileText is the content of the tests' dumps.
const profileText = "a profile"

func writeProfile(w io.Writer) error {
	_, err := io.WriteString(w, profileText)
	return err
}

// logging is a Config of dumps that are logged, and in which no native memory is in use.
func logging() (Config, logbook) {
	log := make(logbook)
	return Config{Write: writeProfile, InUse: func() int64 { return 0 }, Logger: slog.New(log)}, log
}

// dumpInto catches signals, SIGUSR2 if none are given, until the end of the test.
func dumpInto(t *testing.T, c Config, dir string, signals ...os.Signal) (stop func()) {
	t.Helper()
	if c.Dir, c.Signals = dir, signals; len(signals) == 0 {
		c.Signals = DefaultSignals()
	}
	return begin(t, c)
}

// begin makes dumps until the end of the test.
func begin(t *testing.T, c Config) (stop func()) {
	t.Helper()
	dumps, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if log, ok := c.Logger.Handler().(logbook); ok {
			go log.discard()
		}
		dumps.Stop()
	})
	return dumps.Stop
}

// send has the signal reach this thread before it returns; not a moment later, on another one.
func send(t *testing.T, s syscall.Signal) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Tgkill(os.Getpid(), unix.Gettid(), s); err != nil {
		t.Fatal(err)
	}
}

// eventually waits until it is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

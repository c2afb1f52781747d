//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"context"
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
	case <-time.After(30 * time.Second):
		t.Fatal("nothing was logged")
		return nil
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

// startLogging begins to record with a logbook.
func startLogging(t *testing.T) (*Profiler, logbook) {
	t.Helper()
	log := make(logbook)
	c := everything
	c.Logger = slog.New(log)
	return start(t, c), log
}

// dumpInto catches signals until the end of the test.
func dumpInto(t *testing.T, p *Profiler, dir string, signals ...os.Signal) (stop func()) {
	t.Helper()
	stop, err := p.DumpOnSignal(dir, signals...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return stop
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
	for deadline := time.Now().Add(30 * time.Second); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

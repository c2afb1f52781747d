//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A rude handler panics on the record of a dump, and counts the reports of that.
type rude struct {
	slog.Handler
	panics, reports *atomic.Int32
	always          bool // also on a report
}

func (r rude) WithAttrs(attrs []slog.Attr) slog.Handler {
	return rude{r.Handler.WithAttrs(attrs), r.panics, r.reports, r.always}
}

func (r rude) Handle(_ context.Context, record slog.Record) error {
	switch {
	case strings.Contains(record.Message, "dumped"):
		r.panics.Add(1)
		panic("boom")
	case strings.Contains(record.Message, "a fault of the profiler"):
		if r.reports.Add(1); r.always {
			panic("boom again")
		}
	}
	return nil
}

func startRude(t *testing.T) (*Profiler, rude) {
	log := rude{Handler: slog.DiscardHandler, panics: new(atomic.Int32), reports: new(atomic.Int32)}
	c := everything
	c.Logger = slog.New(enabled{log})
	return start(t, c), log
}

// enabled takes records of all levels.
type enabled struct{ rude }

func (enabled) Enabled(context.Context, slog.Level) bool { return true }
func (e enabled) WithAttrs(attrs []slog.Attr) slog.Handler {
	return enabled{e.rude.WithAttrs(attrs).(rude)}
}

func TestPanicOfADumpIsReportedAndTheNextOneIsMade(t *testing.T) {
	for name, s := range map[string]syscall.Signal{"a signal that is noted": syscall.SIGUSR2, "a signal by os/signal": syscall.SIGWINCH} {
		t.Run(name, func(t *testing.T) {
			p, log := startRude(t)
			dir := t.TempDir()
			stop := dumpInto(t, p, dir, s)
			for n := int32(1); n <= 3; n++ {
				send(t, s)
				eventually(t, "the panic was reported", func() bool { return log.reports.Load() == n })
			}
			stop()
			if n := len(namesIn(t, dir)); n != 3 {
				t.Errorf("%d dumps", n)
			}
		})
	}

	t.Run("levels are looked at again", func(t *testing.T) {
		p, log := startRude(t)
		stop, err := p.Dump(Dumps{Dir: t.TempDir(), HighWater: HighWater{RSS: 1, Pause: time.Nanosecond}})
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		eventually(t, "two panics were reported", func() bool { return log.reports.Load() >= 2 })
	})
}

// What listens to signals is a goroutine of its own.
func TestPanicOfTheGoroutineThatListensIsReported(t *testing.T) {
	for _, always := range []bool{false, true} {
		log := rude{Handler: slog.DiscardHandler, panics: new(atomic.Int32), reports: new(atomic.Int32), always: always}
		c := everything
		c.Logger = slog.New(enabled{log})
		d := &dumper{Dumps: Dumps{Signals: []os.Signal{syscall.SIGWINCH}}, profiler: start(t, c)} // it has no errand to ask
		ignore := d.catch()
		send(t, syscall.SIGWINCH)
		eventually(t, "the panic was reported", func() bool { return log.reports.Load() == 1 })
		ignore()
		if err := d.profiler.Stop(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSignalsThatAreNotedReachTheProgramToo(t *testing.T) {
	// TestWhichSignalsDump and TestManySignals listen to the same signals by os/signal.
	p, log := startLogging(t)
	dir := t.TempDir()
	first := dumpInto(t, p, dir)
	second := dumpInto(t, p, dir)
	send(t, syscall.SIGUSR2)
	log.next(t, slog.LevelInfo)
	log.next(t, slog.LevelInfo)
	first()
	send(t, syscall.SIGUSR2)
	log.next(t, slog.LevelInfo)
	second()
	send(t, syscall.SIGUSR2) // Go's runtime ignores it, as without us
	if n := len(namesIn(t, dir)); n != 3 {
		t.Errorf("%d dumps, want two of the first signal and one of the second", n)
	}
}

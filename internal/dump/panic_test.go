//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package dump

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

// A rude host panics when a dump is logged, counts the reports of that, and may panic then, too.
type rude struct {
	slog.Handler
	panics, reports atomic.Int32
	always          bool // also on a report
}

func (r *rude) Enabled(context.Context, slog.Level) bool { return true }
func (r *rude) WithAttrs([]slog.Attr) slog.Handler       { return r }

func (r *rude) Handle(_ context.Context, record slog.Record) error {
	if strings.Contains(record.Message, "dumped") {
		r.panics.Add(1)
		panic("boom")
	}
	return nil
}

func (r *rude) failed(error) {
	if r.reports.Add(1); r.always {
		panic("boom again")
	}
}

func rudely() (Config, *rude) {
	host := &rude{Handler: slog.DiscardHandler}
	c, _ := logging()
	c.Logger, c.Failed = slog.New(host), host.failed
	return c, host
}

func TestPanicOfADumpIsReportedAndTheNextOneIsMade(t *testing.T) {
	for name, s := range map[string]syscall.Signal{"a signal that is noted": syscall.SIGUSR2, "a signal by os/signal": syscall.SIGWINCH} {
		t.Run(name, func(t *testing.T) {
			c, host := rudely()
			dir := t.TempDir()
			stop := dumpInto(t, c, dir, s)
			for n := int32(1); n <= 3; n++ {
				send(t, s)
				eventually(t, "the panic was reported", func() bool { return host.reports.Load() == n })
			}
			stop()
			if n := len(namesIn(t, dir)); n != 3 {
				t.Errorf("%d dumps", n)
			}
		})
	}

	t.Run("levels are looked at again", func(t *testing.T) {
		c, host := rudely()
		begin(t, with(c, t.TempDir(), HighWater{RSS: 1, Pause: time.Nanosecond}))
		eventually(t, "two panics were reported", func() bool { return host.reports.Load() >= 2 })
	})
}

// A goroutine of its own listens to signals.
func TestPanicOfTheGoroutineThatListensIsReported(t *testing.T) {
	for _, always := range []bool{false, true} {
		c, host := rudely()
		host.always = always
		c.Signals = []os.Signal{syscall.SIGWINCH}
		d := &dumper{Config: c} // it has no task to ask
		ignore := d.catch()
		send(t, syscall.SIGWINCH)
		eventually(t, "the panic was reported", func() bool { return host.reports.Load() == 1 })
		ignore()
	}
}

func TestSignalsThatAreNotedReachTheProgramToo(t *testing.T) {
	// TestWhichSignalsDump and TestManySignals listen to the same signals by os/signal.
	c, log := logging()
	dir := t.TempDir()
	first := dumpInto(t, c, dir)
	second := dumpInto(t, c, dir)
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

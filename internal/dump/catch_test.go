//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package dump

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/internal/victim"
)

// Somebody changes what the signal does, and then it is asked for a second time: whoever can still get it dumps, and the process lives.
func TestSignalsChangedMeanwhile(t *testing.T) {
	t.Run("the program ignores it", func(t *testing.T) {
		c, log := logging()
		dumpInto(t, c, t.TempDir(), syscall.SIGUSR2)
		signal.Ignore(syscall.SIGUSR2)
		dumpInto(t, c, t.TempDir(), syscall.SIGUSR2)
		send(t, syscall.SIGUSR2)
		log.next(t, slog.LevelInfo)
	})

	t.Run("C has a handler before ours, which passes it on", func(t *testing.T) {
		const rounds = 100
		c, log := logging()
		first, second := t.TempDir(), t.TempDir()
		stop := dumpInto(t, c, first, syscall.SIGUSR2)
		counted, err := victim.CountSignals(syscall.SIGUSR2)
		if err != nil {
			t.Fatal(err)
		}
		stop2 := dumpInto(t, c, second, syscall.SIGUSR2)
		for range rounds {
			send(t, syscall.SIGUSR2)
			log.next(t, slog.LevelInfo)
			log.next(t, slog.LevelInfo)
		}
		go log.discard()
		stop()
		stop2()
		if n := counted(); n != rounds {
			t.Errorf("C's handler got %d signals, want %d", n, rounds)
		}
		for _, dir := range []string{first, second} {
			if n := len(namesIn(t, dir)); n != rounds {
				t.Errorf("%d dumps of %d signals", n, rounds)
			}
		}
	})
}

// A thread of C that Go does not know takes the signal. Go's own handler would end the process there.
func TestSignalsOnThreadsOfC(t *testing.T) {
	for name, thread := range map[string]struct{ callsGo, hasStack bool }{
		"that has never called Go": {}, "that has called Go": {callsGo: true}, "with a stack for signals": {hasStack: true}, "with both": {true, true},
	} {
		t.Run("one "+name, func(t *testing.T) {
			c, log := logging()
			dumpInto(t, c, t.TempDir())
			for range 3 {
				if err := victim.RaiseOnThread(syscall.SIGUSR2, thread.callsGo, thread.hasStack); err != nil {
					t.Fatal(err)
				}
				log.next(t, slog.LevelInfo)
			}
			arrived := make(chan os.Signal, 1)
			signal.Notify(arrived, syscall.SIGUSR2)
			defer signal.Stop(arrived)
			if err := victim.RaiseOnThread(syscall.SIGUSR2, thread.callsGo, thread.hasStack); err != nil {
				t.Fatal(err)
			}
			log.next(t, slog.LevelInfo)
			<-arrived
		})
	}
}

// moved waits for a report that a signal is lost, or that it is back.
func (l reports) moved(t *testing.T, level slog.Level) string {
	t.Helper()
	select {
	case r := <-l:
		if r.Level != level {
			t.Fatalf("%v: %v", r.Message, attributes(r))
		}
		if err, ok := attributes(r)["error"]; ok {
			return err.String()
		}
		return r.Message
	case <-time.After(10 * time.Minute):
		t.Fatal("nothing was reported")
		return ""
	}
}

// reports is a logbook of what is said of signals.
type reports chan slog.Record

func (l reports) Enabled(context.Context, slog.Level) bool { return true }
func (l reports) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l reports) WithGroup(string) slog.Handler            { return l }

func (l reports) Handle(_ context.Context, r slog.Record) error {
	if strings.Contains(r.Message, "signal") {
		l <- r
	}
	return nil
}

func TestASignalThatIsLostIsReported(t *testing.T) {
	begun := func(t *testing.T) (log reports, dir string) {
		log, dir = make(reports, 100), t.TempDir()
		c, _ := logging()
		c.Logger = slog.New(log)
		dumpInto(t, c, dir)
		return log, dir
	}
	dumps := func(t *testing.T, dir string) {
		before := len(namesIn(t, dir))
		send(t, syscall.SIGUSR2)
		eventually(t, "the signal makes a dump", func() bool { return len(namesIn(t, dir)) > before })
	}

	t.Run("the program ignores it, and makes that undone", func(t *testing.T) {
		log, dir := begun(t)
		signal.Ignore(syscall.SIGUSR2)
		if got := log.moved(t, slog.LevelWarn); got != "the program ignores the signal" {
			t.Error(got)
		}
		arrived := make(chan os.Signal, 1)
		signal.Notify(arrived, syscall.SIGUSR2)
		defer signal.Stop(arrived)
		if got := log.moved(t, slog.LevelInfo); !strings.Contains(got, "again") {
			t.Error(got)
		}
		dumps(t, dir)
		<-arrived
	})

	t.Run("another handler takes its place, for a time", func(t *testing.T) {
		log, dir := begun(t)
		reached, restore, err := victim.ReplaceHandler(syscall.SIGUSR2, saOnstack)
		if err != nil {
			t.Fatal(err)
		}
		if got := log.moved(t, slog.LevelWarn); !strings.Contains(got, "another handler") {
			t.Error(got)
		}
		send(t, syscall.SIGUSR2)
		if reached() != 1 {
			t.Error(reached())
		}
		if err := restore(); err != nil {
			t.Fatal(err)
		}
		log.moved(t, slog.LevelInfo)
		dumps(t, dir)
	})

	t.Run("os/signal delivers it, and another handler takes its place", func(t *testing.T) {
		log := make(reports, 100)
		c, _ := logging()
		c.Logger = slog.New(log)
		dumpInto(t, c, t.TempDir(), syscall.SIGWINCH)
		_, restore, err := victim.ReplaceHandler(syscall.SIGWINCH, saOnstack)
		if err != nil {
			t.Fatal(err)
		}
		log.moved(t, slog.LevelWarn)
		if err := restore(); err != nil {
			t.Fatal(err)
		}
		log.moved(t, slog.LevelInfo)
	})
}

// saOnstack is SA_ONSTACK.
const saOnstack = 0x08000000

// A handler of C's that is there when dumps begin gets each signal, as before: once, with its own flags. That is so in a host of a library,
// too.
func TestAHandlerThatIsThereStaysReached(t *testing.T) {
	for _, number := range []syscall.Signal{syscall.SIGUSR2, syscall.SIGWINCH} {
		reached, restore, err := victim.ReplaceHandler(number, saOnstack)
		if err != nil {
			t.Fatal(err)
		}
		c, log := logging()
		stop := dumpInto(t, c, t.TempDir(), number)
		for n := uint64(1); n <= 5; n++ {
			send(t, number)
			if reached() != n {
				t.Errorf("%d of %d signals reached it", reached(), n)
			}
			log.next(t, slog.LevelInfo)
		}
		stop()
		send(t, number)
		if reached() != 6 {
			t.Error("the handler was not restored")
		}
		if err := restore(); err != nil {
			t.Fatal(err)
		}
	}
}

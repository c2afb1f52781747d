//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package dump

import (
	"log/slog"
	"os/signal"
	"syscall"
	"testing"

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

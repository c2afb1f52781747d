//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// logged is text that is written while it is read.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
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

// awaitDump waits for the only dump in dir.
func awaitDump(t *testing.T, dir string) *profile.Profile {
	t.Helper()
	var found []string
	eventually(t, "there is a dump", func() bool {
		found, _ = filepath.Glob(filepath.Join(dir, "*.cgoheap.pb.gz"))
		return len(found) == 1
	})
	data, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return profiletest.Parse(t, bytes.NewReader(data))
}

func interrupt(t *testing.T) {
	t.Helper()
	if err := syscall.Kill(os.Getpid(), syscall.SIGUSR2); err != nil {
		t.Fatal(err)
	}
}

func TestDumps(t *testing.T) {
	var log logged
	c := everything
	c.Logger = slog.New(slog.NewTextHandler(&log, nil))
	p := start(t, c)

	t.Run("one at a mark of native memory shows what was selected", func(t *testing.T) {
		dir := t.TempDir()
		stop, err := p.StartDumps(DumpConfig{Dir: dir, HighWater: HighWater{Native: p.recording.InUse() + 1<<20}, Selection: Selection{View: ViewPeak()}})
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		defer victim.Free(allocate(2 << 20))
		if got := profiletest.Sum(profiletest.Through(awaitDump(t, dir), "allocate")); got != [4]int64{1, 2 << 20} {
			t.Errorf("%v", got)
		}
		eventually(t, "the dump is logged", func() bool { return strings.Contains(log.String(), "native memory in use: ") })
	})

	t.Run("one on a signal is a profile; after Stop the signal is answered by an error", func(t *testing.T) {
		dir := t.TempDir()
		stop, err := p.DumpOnSignal(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		defer victim.Free(allocate(1000))
		interrupt(t)
		if got := profiletest.Sum(profiletest.Through(awaitDump(t, dir), "allocate")); got[2] != 1 || got[3] != 1000 {
			t.Errorf("%v", got)
		}
		p.Stop()
		interrupt(t)
		eventually(t, "the error is logged", func() bool { return strings.Contains(log.String(), "stopped") })
		if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
			t.Errorf("%v, %v", names, err)
		}
	})

	t.Run("an invalid field is an error at once", func(t *testing.T) {
		for want, d := range map[string]DumpConfig{
			"cgoheap: DumpConfig.Selection.View is age with -1": {Dir: t.TempDir(), Signals: []os.Signal{syscall.SIGUSR2}, Selection: Selection{View: ViewAge(-1)}},
			"cgoheap: DumpConfig.Keep is -1; it may not":        {Dir: t.TempDir(), Signals: []os.Signal{syscall.SIGUSR2}, Keep: -1},
			"cgoheap: DumpConfig.HighWater.Cgroup is 80; it":    {Dir: t.TempDir(), HighWater: HighWater{Cgroup: 80}},
			"cgoheap: dump directory: ":                         {Signals: []os.Signal{syscall.SIGUSR2}},
		} {
			if _, err := p.StartDumps(d); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
	})
}

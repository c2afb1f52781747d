//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"errors"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/internal/victim"
)

// watched is a level that reads what it is told to.
func watched(mark float64) (*levels, *float64) {
	var is float64
	l := &levels{growth: 0.5, pause: time.Minute}
	l.add(level{name: "memory", mark: mark, show: inBytes, read: func() (float64, error) {
		if is < 0 {
			return 0, errors.New("unreadable")
		}
		return is, nil
	}})
	return l, &is
}

// visit says whether a level was reached, and has the dump made.
func visit(l *levels, now time.Time) bool {
	if l.reached(now) == "" {
		return false
	}
	l.dumped(now, nil)
	return true
}

func TestLevel(t *testing.T) {
	for about, steps := range map[string][]struct {
		minute  int
		is      float64
		reached bool
	}{
		"below the mark is not reached, at the mark is, once": {{0, 99, false}, {1, 100, true}, {2, 100, false}, {3, 120, false}},
		"after that it must grow by the share":                {{0, 100, true}, {1, 149, false}, {2, 150, true}, {3, 224, false}, {4, 225, true}},
		"what comes too soon waits for the pause":             {{0, 100, true}, {0, 500, false}, {1, 500, true}},
		"a little below the mark and back is the same visit":  {{0, 100, true}, {1, 91, false}, {2, 100, false}},
		"well below the mark and back is another":             {{0, 100, true}, {1, 89, false}, {2, 100, true}},
		"what cannot be read is not reached":                  {{0, -1, false}, {1, 100, true}},
	} {
		t.Run(about, func(t *testing.T) {
			l, is := watched(100)
			start := time.Now()
			for i, step := range steps {
				*is = step.is
				if got := visit(l, start.Add(time.Duration(step.minute)*time.Minute)); got != step.reached {
					t.Errorf("step %d: %t", i, got)
				}
			}
		})
	}
}

func TestShareComesNearerToItsLimitByHalves(t *testing.T) {
	l, is := watched(0.8)
	l.list[0].most = 1
	now := time.Now()
	var dumps []float64
	for *is = 0.7; *is < 1.0005; *is += 0.001 {
		now = now.Add(time.Hour)
		if visit(l, now) {
			dumps = append(dumps, math.Round(*is*1000))
		}
	}
	if want := []float64{800, 900, 950, 975, 988, 994, 997, 999, 1000}; !slices.Equal(dumps, want) {
		t.Errorf("dumps at %v thousandths of the limit, want %v", dumps, want)
	}
}

func TestDumpThatFailsIsTriedAgain(t *testing.T) {
	l, is := watched(100)
	*is = 100
	now := time.Now()
	var waits []int
	for last := now; len(waits) < 6; now = now.Add(time.Second) {
		if l.reached(now) != "" {
			waits = append(waits, int(now.Sub(last).Seconds()))
			last = now
			l.dumped(now, errors.New("the disk is full"))
		}
	}
	if want := []int{0, 10, 20, 40, 60, 60}; !slices.Equal(waits, want) {
		t.Errorf("tries after %v s, want %v", waits, want)
	}
	now = now.Add(time.Minute)
	if !visit(l, now) || visit(l, now.Add(time.Hour)) {
		t.Error("the one that was made does not count")
	}
}

func TestHighWaterDumpAfterOneThatFailed(t *testing.T) {
	p := start(t, everything)
	dir := filepath.Join(t.TempDir(), "dumps")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	d, err := newDumper(p, Dumps{Dir: dir, HighWater: HighWater{RSS: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	d.check(now)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	d.check(now.Add(time.Minute))
	if names := namesIn(t, dir); len(names) != 1 {
		t.Errorf("%q once there was a directory again", names)
	}
}

func TestReachedLevelIsTold(t *testing.T) {
	l, is := watched(100)
	*is = 3 << 30
	if which := l.reached(time.Now()); which != "memory: 3 GiB" {
		t.Errorf("%q", which)
	}
}

func TestDumpOnHighWater(t *testing.T) {
	p, log := startLogging(t)
	dir := t.TempDir()
	stop, err := p.Dump(Dumps{Dir: dir, HighWater: HighWater{Native: p.recording.InUse() + 1<<20}, Selection: Selection{View: Peak}})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	time.Sleep(checkEvery + 100*time.Millisecond)
	if names := namesIn(t, dir); len(names) != 0 {
		t.Fatalf("%q, and nothing was reached", names)
	}
	defer victim.Free(allocate(2 << 20))
	dumped := log.next(t, slog.LevelInfo)
	if reached := dumped["reached"].String(); !strings.HasPrefix(reached, "native memory in use: 2") {
		t.Errorf("%q", reached)
	}
	f, err := os.Open(dumped["path"].String())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := values(through(parse(t, f), "allocate")); got[1] != 2<<20 {
		t.Errorf("%v", got)
	}
}

func TestResidentMemoryReachesItsMark(t *testing.T) {
	p, log := startLogging(t)
	stop, err := p.Dump(Dumps{Dir: t.TempDir(), HighWater: HighWater{RSS: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if reached := log.next(t, slog.LevelInfo)["reached"].String(); !strings.HasPrefix(reached, "resident memory: ") {
		t.Errorf("%q", reached)
	}
}

func TestDumpsThatMakeNoSense(t *testing.T) {
	p := start(t, everything)
	dir := t.TempDir()
	for want, d := range map[string]Dumps{
		"neither a signal nor a level":           {Dir: dir},
		"Dumps.Keep is -1":                       {Dir: dir, Signals: defaultSignals, Keep: -1},
		"KeepBytes -5":                           {Dir: dir, Signals: defaultSignals, KeepBytes: -5},
		"HighWater is {Native:-1":                {Dir: dir, HighWater: HighWater{Native: -1}},
		"Dumps.Selection: cgoheap: Selection.Vi": {Dir: dir, Signals: defaultSignals, Selection: Selection{View: 77}},
		"dump directory":                         {Dir: dir + "/missing", Signals: defaultSignals},
	} {
		if stop, err := p.Dump(d); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
			stop()
		}
	}
}

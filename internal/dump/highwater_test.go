//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package dump

import (
	"errors"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// with is a Config of dumps into dir at the marks.
func with(c Config, dir string, marks HighWater) Config {
	c.Dir, c.HighWater = dir, marks
	return c
}

// watched is a level whose readings the test sets.
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

// visit reports whether a level was reached, and has the dump made.
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
	c, _ := logging()
	c.Logger = slog.New(slog.DiscardHandler)
	dir := filepath.Join(t.TempDir(), "dumps")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	d, err := newDumper(with(c, dir, HighWater{RSS: 1}))
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
	c, log := logging()
	var inUse atomic.Int64
	looked := make(chan bool, 1)
	c.InUse = func() int64 {
		select {
		case looked <- true:
		default:
		}
		return inUse.Load()
	}
	c.About = func() string { return "RSS 5 MiB: 3 MiB malloc: free" }
	dir := t.TempDir()
	begin(t, with(c, dir, HighWater{Native: 1 << 20}))
	for range 2 { // once when it began, once later
		<-looked
	}
	if names := namesIn(t, dir); len(names) != 0 {
		t.Fatalf("%q, and nothing was reached", names)
	}
	inUse.Store(2 << 20)
	dumped := log.next(t, slog.LevelInfo)
	if reached := dumped["reached"].String(); reached != "native memory in use: 2 MiB" {
		t.Errorf("%q", reached)
	}
	if account := dumped["account"].String(); account != c.About() {
		t.Errorf("the account in the log is %q", account)
	}
	if names := namesIn(t, dir); len(names) != 1 || filepath.Join(dir, names[0]) != dumped["path"].String() {
		t.Errorf("%q", names)
	}
}

func TestResidentMemoryReachesItsMark(t *testing.T) {
	c, log := logging()
	begin(t, with(c, t.TempDir(), HighWater{RSS: 1}))
	if reached := log.next(t, slog.LevelInfo)["reached"].String(); !strings.HasPrefix(reached, "resident memory: ") {
		t.Errorf("%q", reached)
	}
}

func TestDumpsThatMakeNoSense(t *testing.T) {
	dir := t.TempDir()
	for want, c := range map[string]Config{
		"neither a signal nor a mark": {Dir: dir},
		"Keep is -1":                  {Dir: dir, Signals: DefaultSignals(), Keep: -1},
		"KeepBytes is -5":             {Dir: dir, Signals: DefaultSignals(), KeepBytes: -5},
		"HighWater.Native is -1":      {Dir: dir, HighWater: HighWater{Native: -1}},
		"HighWater.RSS is -2":         {Dir: dir, HighWater: HighWater{RSS: -2}},
		"HighWater.Cgroup is 80":      {Dir: dir, HighWater: HighWater{Cgroup: 80}},
		"HighWater.Cgroup is NaN":     {Dir: dir, HighWater: HighWater{Cgroup: math.NaN()}},
		"HighWater.Growth is -0.1":    {Dir: dir, HighWater: HighWater{RSS: 1, Growth: -0.1}},
		"HighWater.Growth is NaN":     {Dir: dir, HighWater: HighWater{RSS: 1, Growth: math.NaN()}},
		"HighWater.Pause is -1s":      {Dir: dir, HighWater: HighWater{RSS: 1, Pause: -time.Second}},
		"dump directory":              {Dir: dir + "/missing", Signals: DefaultSignals()},
	} {
		if dumps, err := Start(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
			dumps.Stop()
		}
	}
}

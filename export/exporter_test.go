package export_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/export"
	"github.com/cgoheap/cgoheap/export/internal/standin"
)

// start starts an exporter in a synctest bubble, where time passes when everyone waits, and which fails if a goroutine is
// left at its end.
func start(t *testing.T, p export.Profiler, to export.Target, c export.Config) *export.Exporter {
	t.Helper()
	e, err := export.Start(p, to, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Stop() })
	return e
}

func checkStats(t *testing.T, e *export.Exporter, want map[string]uint64) {
	t.Helper()
	s := e.Stats()
	for name, value := range want {
		if got := s.Value(name); got != value {
			t.Errorf("%s is %d, want %d", name, got, value)
		}
	}
}

func sentence(t *testing.T, e *export.Exporter, name string) string {
	t.Helper()
	for _, c := range e.Stats() {
		if c.Name == name {
			return c.Sentence
		}
	}
	t.Fatalf("no counter %s", name)
	return ""
}

func TestProfilesComeInIntervalsThatAreSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to, began := &target{}, time.Now()
		e := start(t, &standin.Profiler{}, to, export.Config{Interval: time.Minute})
		time.Sleep(time.Hour)
		synctest.Wait()
		if first := to.attempts[0].at.Sub(began); first >= time.Minute {
			t.Errorf("the first profile came after %v", first)
		}
		gaps := to.gaps()
		for _, g := range gaps {
			if g < 54*time.Second || g > 66*time.Second {
				t.Errorf("%v between two profiles", g)
			}
		}
		if slices.Max(gaps)-slices.Min(gaps) < time.Second {
			t.Errorf("intervals are not spread: %v", gaps)
		}
		if err := e.Stop(); err != nil {
			t.Error(err)
		}
		got := to.numbers(t)
		if diff := cmp.Diff(upTo(1, len(got)), got); diff != "" || len(got) < 54 {
			t.Errorf("%d profiles arrived (-want +got):\n%s", len(got), diff)
		}
	})
}

func TestEachProfileIsADeltaFromTheOneBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &standin.Profiler{}
		start(t, p, &target{}, export.Config{GoHeap: true, MaxSamples: 100, MaxBytes: 1e6})
		time.Sleep(time.Minute)
		since, _ := p.Baseline()
		all := p.Selections()
		for _, s := range all {
			if s.View != cgoheap.ViewDelta(since) || !s.Advance || !s.GoHeap || s.MaxSamples != 100 || s.MaxBytes != 1e6 {
				t.Errorf("Selection %+v", s)
			}
		}
	})
}

func TestProfileThatDoesNotFitIsPartOfTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, to := &standin.Profiler{Filler: 4000}, &target{}
		e := start(t, p, to, export.Config{QueueBytes: 64 << 10})
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := p.Written(); n != 0 {
			t.Errorf("%d profiles count as written", n)
		}
		s := e.Stats()
		if s.Value("export_failed") < 3 || s.Value("export_taken") != 0 {
			t.Error(s)
		}
		if why := sentence(t, e, "export_failed"); !strings.Contains(why, "QueueBytes") {
			t.Error(why)
		}
	})
}

func TestProfilerThatFailsIsCountedAndAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &standin.Profiler{}
		var broken atomic.Bool
		broken.Store(true)
		p.Before = func(int) error {
			if broken.Load() {
				return errors.New("stopped")
			}
			return nil
		}
		to := &target{}
		e := start(t, p, to, export.Config{})
		time.Sleep(time.Minute)
		synctest.Wait()
		if why := sentence(t, e, "export_failed"); !strings.HasSuffix(why, "the last time: stopped") {
			t.Error(why)
		}
		broken.Store(false)
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(to.numbers(t)) == 0 {
			t.Error("nothing arrived after it")
		}
	})
}

func TestPanicsOfOthersAreErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &standin.Profiler{}
		first := true
		p.Before = func(int) error {
			if first {
				first = false
				panic("in the profiler")
			}
			return nil
		}
		to := &target{answer: func(n int, _ context.Context) error {
			if n == 0 {
				panic("in the target")
			}
			return nil
		}}
		e := start(t, p, to, export.Config{})
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		checkStats(t, e, map[string]uint64{"export_failed": 1, "export_refused": 1})
		if why := sentence(t, e, "export_failed"); !strings.Contains(why, "in the profiler") {
			t.Error(why)
		}
		if why := sentence(t, e, "export_refused"); !strings.Contains(why, "in the target") {
			t.Error(why)
		}
		if len(to.numbers(t)) < 5 {
			t.Error("it did not go on")
		}
	})
}

func TestStartSaysWhichFieldMakesNoSense(t *testing.T) {
	for _, c := range []struct {
		config export.Config
		want   string
	}{
		{export.Config{Interval: time.Microsecond}, "Interval"},
		{export.Config{MaxSamples: -1}, "MaxSamples"},
		{export.Config{MaxBytes: -1}, "MaxBytes"},
		{export.Config{QueueBatches: 1}, "QueueBatches"},
		{export.Config{QueueBytes: 100}, "QueueBytes"},
		{export.Config{SendWithin: -1}, "SendWithin"},
		{export.Config{Attempts: -1}, "Attempts"},
		{export.Config{MaxAge: -1}, "MaxAge"},
		{export.Config{StopWithin: -1}, "StopWithin"},
	} {
		if _, err := export.Start(&standin.Profiler{}, &target{}, c.config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.config, err)
		}
	}
}

package export_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/export"
	"github.com/cgoheap/cgoheap/export/internal/delivery"
	"github.com/cgoheap/cgoheap/export/internal/standin"
)

func TestStopSendsALastProfile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &target{}
		e := start(t, &standin.Profiler{}, to, export.Config{Interval: time.Hour})
		began := time.Now()
		if err := e.Stop(); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("Stop took %v", took)
		}
		if err := e.Stop(); err != nil {
			t.Errorf("a second Stop: %v", err)
		}
		if diff := cmp.Diff([]int{1}, to.numbers(t)); diff != "" || to.closed != 1 {
			t.Errorf("closed %d times; arrived (-want +got):\n%s", to.closed, diff)
		}
		checkStats(t, e, map[string]uint64{"export_pushed": 1, "export_queue": 0, "target_own": 7})
	})
}

func TestStopReturnsInTimeFromAServerThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &target{answer: func(_ int, ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}}
		e := start(t, &standin.Profiler{}, to, export.Config{Interval: time.Minute, StopWithin: 3 * time.Second})
		time.Sleep(10 * time.Minute)
		began := time.Now()
		err := e.Stop()
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("Stop took %v", took)
		}
		if err == nil || !strings.Contains(err.Error(), "were not sent: context deadline exceeded") {
			t.Errorf("Stop: %v", err)
		}
	})
}

// The server has it: a batch that was sent again would count twice.
func TestABatchThatArrivesWhileStopGivesUpHasArrived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &target{answer: func(_ int, ctx context.Context) error {
			<-ctx.Done()
			return nil
		}}
		e := start(t, &standin.Profiler{}, to, export.Config{Interval: time.Hour, StopWithin: time.Second})
		_ = e.Stop()
		checkStats(t, e, map[string]uint64{"export_pushed": 1, "export_queue": 0})
	})
}

func TestStopSaysThatAnAttemptHadNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &target{answer: func(_ int, ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}}
		e := start(t, &standin.Profiler{}, to, export.Config{Interval: time.Hour, SendWithin: time.Hour, StopWithin: 2 * time.Second})
		if err := e.Stop(); err == nil || !strings.Contains(err.Error(), "were not sent: an attempt had no answer for 1.8s") {
			t.Errorf("Stop: %v", err)
		}
	})
}

// rude panics or hangs where it is asked to.
type rude struct {
	target
	form, stats, closes func()
}

func do(f func()) {
	if f != nil {
		f()
	}
}

func (r *rude) Form() delivery.Form  { do(r.form); return delivery.Form{} }
func (r *rude) Stats() cgoheap.Stats { do(r.stats); return nil }
func (r *rude) Close() error         { do(r.closes); return nil }

func TestHostSurvivesATargetThatPanicsOrHangs(t *testing.T) {
	bad := func() { panic("bad target") }
	if _, err := export.Start(&standin.Profiler{}, &rude{form: bad}, export.Config{}); err == nil || !strings.Contains(err.Error(), "bad target") {
		t.Errorf("Start: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		e := start(t, &standin.Profiler{}, &rude{stats: bad, closes: bad}, export.Config{})
		if stats := e.Stats(); stats.Value("export_target_silent") != 1 {
			t.Errorf("%v", stats)
		}
		if err := e.Stop(); err == nil || !strings.Contains(err.Error(), "bad target") {
			t.Errorf("Stop: %v", err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		e := start(t, &standin.Profiler{}, &rude{closes: func() { <-release }}, export.Config{StopWithin: time.Second})
		began := time.Now()
		if err := e.Stop(); err == nil || !strings.Contains(err.Error(), "still being closed") || time.Since(began) > time.Second {
			t.Errorf("Stop took %v: %v", time.Since(began), err)
		}
		close(release)
	})
}

func TestStopReturnsInTimeFromATargetThatIgnoresItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		to := &target{answer: func(int, context.Context) error { <-release; return nil }}
		e := start(t, &standin.Profiler{}, to, export.Config{StopWithin: time.Second})
		time.Sleep(time.Minute)
		began := time.Now()
		if err := e.Stop(); err == nil || time.Since(began) > time.Second {
			t.Errorf("Stop took %v: %v", time.Since(began), err)
		}
		close(release)
	})
}

func TestStopReturnsInTimeFromAProfilerThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		p := &standin.Profiler{Before: func(int) error { <-release; return nil }}
		to := &target{}
		e := start(t, p, to, export.Config{StopWithin: time.Second})
		time.Sleep(time.Minute)
		began := time.Now()
		if err := e.Stop(); err == nil || time.Since(began) > time.Second {
			t.Errorf("Stop took %v: %v", time.Since(began), err)
		}
		close(release)
	})
}

func TestStopTriesAtOnceWhatWaitsToBeSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var away atomic.Bool
		away.Store(true)
		to := &target{answer: func(int, context.Context) error {
			if away.Load() {
				return &delivery.Failure{Err: errors.New("away"), Verdict: delivery.Later, RetryAfter: 5 * time.Minute}
			}
			return nil
		}}
		e := start(t, &standin.Profiler{}, to, export.Config{Interval: time.Minute})
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		away.Store(false)
		began := time.Now()
		if err := e.Stop(); err != nil || time.Since(began) != 0 {
			t.Errorf("Stop took %v: %v", time.Since(began), err)
		}
		got := to.numbers(t)
		if diff := cmp.Diff(upTo(1, len(got)), got); diff != "" || len(got) < 3 {
			t.Errorf("arrived (-want +got):\n%s", diff)
		}
	})
}

package export_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/export"
	"github.com/cgoheap/cgoheap/export/internal/delivery"
	"github.com/cgoheap/cgoheap/export/internal/standin"
)

func always(f *delivery.Failure) func(int, context.Context) error {
	return func(int, context.Context) error { return f }
}

func TestWaitsDoubleUpToABound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &target{answer: always(&delivery.Failure{Err: errors.New("away"), Verdict: delivery.Later})}
		start(t, &standin.Profiler{}, to, export.Config{})
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		for i, gap := range to.gaps() {
			most := min(time.Second<<i, 30*time.Second)
			if gap < most/2 || gap > most {
				t.Errorf("wait %d is %v, want between half of %v and all of it", i, gap, most)
			}
		}
		if n := len(to.gaps()); n < 14 {
			t.Errorf("%d waits in five minutes", n)
		}
	})
}

func TestServerThatSaysWhenIsAskedThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &target{}
		to.answer = func(n int, _ context.Context) error {
			switch n {
			case 0:
				return &delivery.Failure{Err: errors.New("busy"), Verdict: delivery.Later, RetryAfter: 100 * time.Second}
			case 1:
				return &delivery.Failure{Err: errors.New("busy"), Verdict: delivery.Later, RetryAfter: 1000 * time.Hour}
			}
			return nil
		}
		e := start(t, &standin.Profiler{}, to, export.Config{QueueBatches: 1000})
		time.Sleep(15 * time.Minute)
		synctest.Wait()
		gaps := to.gaps()
		if gaps[0] < 100*time.Second || gaps[0] > 101*time.Second {
			t.Errorf("it was asked again after %v", gaps[0])
		}
		if gaps[1] < 10*time.Minute || gaps[1] > 10*time.Minute+time.Second {
			t.Errorf("a server that wants 1000 hours was asked again after %v", gaps[1])
		}
		got := to.numbers(t)
		if diff := cmp.Diff(upTo(1, len(got)), got); diff != "" || len(got) < 50 {
			t.Errorf("arrived (-want +got):\n%s", diff)
		}
		checkStats(t, e, map[string]uint64{"export_retried": 2, "export_dropped": 0})
	})
}

func TestBatchOnWhichTheServerFailsIsGivenUp(t *testing.T) {
	for about, err := range map[string]error{
		"doubtful":                 &delivery.Failure{Err: errors.New("bad profile"), Verdict: delivery.Doubtful},
		"an error without verdict": errors.New("bad profile"),
	} {
		t.Run(about, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				to := &target{}
				to.answer = func(n int, _ context.Context) error {
					if n < 3 {
						return err
					}
					return nil
				}
				e := start(t, &standin.Profiler{}, to, export.Config{Attempts: 3})
				time.Sleep(10 * time.Minute)
				if err := e.Stop(); err != nil {
					t.Error(err)
				}
				got := to.numbers(t)
				if diff := cmp.Diff(upTo(2, len(got)+1), got); diff != "" {
					t.Errorf("arrived (-want +got):\n%s", diff)
				}
				checkStats(t, e, map[string]uint64{"export_given_up": 1, "export_retried": 2, "export_refused": 0})
				if why := sentence(t, e, "export_given_up"); !strings.Contains(why, "bad profile") {
					t.Error(why)
				}
			})
		})
	}
}

func TestRefusedBatchIsNotSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		to := &target{answer: always(&delivery.Failure{Err: errors.New("401 Unauthorized"), Verdict: delivery.Refused})}
		e := start(t, &standin.Profiler{}, to, export.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		time.Sleep(10 * time.Minute)
		if err := e.Stop(); err != nil {
			t.Error(err)
		}
		n := uint64(len(to.attempts))
		checkStats(t, e, map[string]uint64{"export_refused": n, "export_taken": n, "export_retried": 0, "export_queue": 0})
		if why := sentence(t, e, "export_refused"); !strings.Contains(why, "401 Unauthorized") {
			t.Error(why)
		}
		if lines := strings.Count(log.String(), "\n"); lines != 1 {
			t.Errorf("%d lines in the log for one reason:\n%s", lines, &log)
		}
	})
}

func TestQueueDropsTheOldestAndCountsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var away atomic.Bool
		away.Store(true)
		to := &target{answer: func(int, context.Context) error {
			if away.Load() {
				return &delivery.Failure{Err: errors.New("connection refused"), Verdict: delivery.Later}
			}
			return nil
		}}
		p := &standin.Profiler{}
		var log bytes.Buffer
		e := start(t, p, to, export.Config{QueueBatches: 10, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		time.Sleep(20 * time.Minute)
		synctest.Wait()
		taken := p.Written()
		checkStats(t, e, map[string]uint64{"export_queue": 10, "export_dropped": uint64(taken - 10), "export_taken": uint64(taken)})
		away.Store(false)
		time.Sleep(time.Minute)
		if err := e.Stop(); err != nil {
			t.Error(err)
		}
		got := to.numbers(t)
		last := p.Written()
		dropped := int(e.Stats().Value("export_dropped"))
		if diff := cmp.Diff(upTo(dropped+1, last), got); diff != "" {
			t.Errorf("arrived (-want +got):\n%s", diff)
		}
		if lines := strings.Count(log.String(), "\n"); lines != 2 {
			t.Errorf("%d lines in the log, not one for away and one for back:\n%s", lines, &log)
		}
	})
}

func TestLoggerMayAskForStatsAndPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &target{answer: func(n int, _ context.Context) error {
			if n < 3 {
				return errors.New("away")
			}
			return nil
		}}
		var exporter atomic.Pointer[export.Exporter]
		var asked atomic.Int64
		logger := slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{ReplaceAttr: func([]string, slog.Attr) slog.Attr {
			asked.Add(int64(len(exporter.Load().Stats())))
			panic("in the logger")
		}}))
		e := start(t, &standin.Profiler{}, to, export.Config{Interval: time.Hour, Logger: logger})
		exporter.Store(e)
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if len(to.numbers(t)) == 0 || asked.Load() == 0 {
			t.Errorf("asked %d times\n%s", asked.Load(), e.Stats())
		}
	})
}

func TestOldBatchIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &target{answer: always(&delivery.Failure{Err: errors.New("away"), Verdict: delivery.Later})}
		e := start(t, &standin.Profiler{}, to, export.Config{Interval: time.Minute, MaxAge: 10 * time.Minute, QueueBatches: 1000})
		time.Sleep(time.Hour)
		synctest.Wait()
		s := e.Stats()
		if n := s.Value("export_queue"); n > 13 || s.Value("export_expired") < 40 {
			t.Errorf("%d in the queue:\n%s", n, s)
		}
	})
}

func TestSilentServerCostsOneAttemptAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &target{answer: func(_ int, ctx context.Context) error {
			<-ctx.Done()
			return &delivery.Failure{Err: ctx.Err(), Verdict: delivery.Later}
		}}
		start(t, &standin.Profiler{}, to, export.Config{SendWithin: 4 * time.Second})
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		for i, gap := range to.gaps() {
			if gap < 4*time.Second || gap > 34*time.Second {
				t.Errorf("attempt %d came %v after the one before", i+1, gap)
			}
		}
	})
}

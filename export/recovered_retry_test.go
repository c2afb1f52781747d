package export_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/export"
	"github.com/cgoheap/cgoheap/export/internal/delivery"
)

func TestRefusedRecoveredProfileIsInTheLogAndOthersArrive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := dump(t, 0)
		var log bytes.Buffer
		to := &target{}
		to.answer = func(n int, _ context.Context) error {
			if to.attempts[n].batch.Recovered != nil {
				return &delivery.Failure{Err: errors.New("400 too old"), Verdict: delivery.Refused}
			}
			return nil
		}
		e := start(t, heirOf(2*time.Hour, path), to, export.Config{Logger: logTo(&log)})
		time.Sleep(time.Minute)
		if err := e.Stop(); err != nil {
			t.Error(err)
		}
		text := log.String()
		if strings.Count(text, "\n") != 1 || !strings.Contains(text, "level=WARN") || !strings.Contains(text, "path="+path) ||
			!strings.Contains(text, "age=2h0m0s") || !strings.Contains(text, "400 too old") {
			t.Error(text)
		}
		if got := to.numbers(t); len(got) < 4 || len(to.attempts) != len(got)+1 {
			t.Errorf("%d attempts, arrived: %v", len(to.attempts), got)
		}
		checkStats(t, e, map[string]uint64{"export_recovered_refused": 1, "export_refused": 0, "export_recovered_pushed": 0})
	})
}

func TestServerThatFailsOnARecoveredProfileDelaysNoOther(t *testing.T) {
	for about, verdict := range map[string]delivery.Verdict{"doubtful": delivery.Doubtful, "later": delivery.Later} {
		t.Run(about, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				path := dump(t, 0)
				var log bytes.Buffer
				to := &target{}
				to.answer = func(n int, _ context.Context) error {
					if to.attempts[n].batch.Recovered != nil {
						return &delivery.Failure{Err: errors.New("500"), Verdict: verdict, RetryAfter: time.Hour}
					}
					return nil
				}
				e := start(t, heirOf(time.Minute, path), to, export.Config{Interval: time.Minute, Attempts: 3, Logger: logTo(&log)})
				for range 300 {
					time.Sleep(time.Second)
					synctest.Wait()
					if s := e.Stats(); s.Value("export_taken") != s.Value("export_pushed") {
						t.Fatalf("a profile waits:\n%s", s)
					}
				}
				checkStats(t, e, map[string]uint64{"export_recovered_failed": 1, "export_retried": 2, "export_queue": 0, "export_given_up": 0})
				if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, path) {
					t.Error(text)
				}
			})
		})
	}
}

func TestRecoveredProfileArrivesWhenTheServerIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := dump(t, 0)
		var away atomic.Bool
		away.Store(true)
		to := &target{answer: func(int, context.Context) error {
			if away.Load() {
				return &delivery.Failure{Err: errors.New("connection refused"), Verdict: delivery.Later}
			}
			return nil
		}}
		e := start(t, heirOf(time.Minute, path), to, export.Config{})
		time.Sleep(10 * time.Minute)
		away.Store(false)
		time.Sleep(time.Minute)
		if err := e.Stop(); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]string{path}, recoveredOf(to.arrived)); diff != "" {
			t.Errorf("arrived (-want +got):\n%s", diff)
		}
		checkStats(t, e, map[string]uint64{"export_recovered_pushed": 1, "export_dropped": 0})
	})
}

package export_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/export"
	"github.com/cgoheap/cgoheap/export/internal/delivery"
	"github.com/cgoheap/cgoheap/export/internal/standin"
)

// heir is a profiler that has recovered profiles.
type heir struct {
	standin.Profiler
	recovered func(context.Context) ([]cgoheap.Recovered, error)
}

func (h *heir) Recovered(ctx context.Context) ([]cgoheap.Recovered, error) { return h.recovered(ctx) }

// heirOf has recovered the profiles in these files, whose processes died an age ago.
func heirOf(age time.Duration, paths ...string) *heir {
	var list []cgoheap.Recovered
	for _, path := range paths {
		list = append(list, cgoheap.Recovered{Path: path, Ended: time.Now().Add(-age)})
	}
	return &heir{recovered: func(context.Context) ([]cgoheap.Recovered, error) { return list, nil }}
}

// dump writes a profile with so many samples besides the usual three into a file, and returns its path.
func dump(t *testing.T, filler int) string {
	t.Helper()
	var data bytes.Buffer
	if err := (&standin.Profiler{Filler: filler}).Write(&data, cgoheap.Selection{}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "cgoheap.1.pb.gz")
	save(t, path, data.Bytes())
	return path
}

// recoveredOf returns the files of the recovered batches among these.
func recoveredOf(list []*delivery.Batch) (paths []string) {
	for _, b := range list {
		if b.Recovered != nil {
			paths = append(paths, b.Recovered.Path)
		}
	}
	return paths
}

func logTo(log *bytes.Buffer) *slog.Logger { return slog.New(slog.NewTextHandler(log, nil)) }

func TestRecoveredProfileIsMemoryInUseAtItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := dump(t, 10)
		time.Sleep(20 * time.Minute)
		to := &target{form: delivery.Form{Apart: true, Labels: []string{"heap"}}}
		e := start(t, heirOf(20*time.Minute, path), to, export.Config{Interval: time.Hour})
		synctest.Wait()
		if len(to.arrived) != 1 || len(to.arrived[0].Profiles) != 1 || to.arrived[0].Recovered.Path != path {
			t.Fatalf("arrived: %v", to.arrived)
		}
		got, want := parse(t, to.arrived[0].Profiles[0]), parse(t, read(t, path))
		if got.TimeNanos != want.TimeNanos || got.DurationNanos != 0 {
			t.Errorf("it is of %d and lasts %d, want %d and 0", got.TimeNanos, got.DurationNanos, want.TimeNanos)
		}
		if diff := cmp.Diff(inUse(want), inUse(got)); diff != "" {
			t.Errorf("in use (-file +sent):\n%s", diff)
		}
		if len(got.SampleType) != 2 || len(to.arrived[0].Unnamed) != 1 {
			t.Errorf("columns %v, files without names %v", got.SampleType, to.arrived[0].Unnamed)
		}
		checkStats(t, e, map[string]uint64{"export_recovered_pushed": 1, "export_pushed": 0, "export_taken": 0})
	})
}

// inUse returns the objects and bytes in use for each stack.
func inUse(p *profile.Profile) map[string][2]int64 {
	sums := map[string][2]int64{}
	for _, s := range p.Sample {
		values := s.Value[len(s.Value)-2:]
		if values[0] == 0 && values[1] == 0 {
			continue
		}
		var stack string
		for _, l := range s.Location {
			stack += fmt.Sprintf(" %x", l.Address)
		}
		sum := sums[stack]
		sums[stack] = [2]int64{sum[0] + values[0], sum[1] + values[1]}
	}
	return sums
}

func TestRecoveredProfileObeysTheBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &target{}
		start(t, heirOf(time.Minute, dump(t, 1000)), to, export.Config{Interval: time.Hour, MaxSamples: 100})
		synctest.Wait()
		got := parse(t, to.arrived[0].Profiles[0])
		if len(got.Sample) != 100 || got.Sample[99].Location[0].Line[0].Function.Name != "other" {
			t.Errorf("%d samples", len(got.Sample))
		}
	})
}

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

func TestRecoveredProfileIsDeliveredOnceToEachServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := heirOf(time.Minute, dump(t, 0))
		to, other := &target{}, &target{}
		for _, at := range []*target{to, other, to} {
			e := start(t, h, at, export.Config{Interval: time.Hour})
			synctest.Wait()
			if err := e.Stop(); err != nil {
				t.Error(err)
			}
		}
		if n, m := len(recoveredOf(to.arrived)), len(recoveredOf(other.arrived)); n != 1 || m != 1 {
			t.Errorf("it arrived %d times at one server, %d times at the other", n, m)
		}
	})
}

func TestFileThatCannotBeReadIsInTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		missing, damaged, large, good := filepath.Join(t.TempDir(), "missing"), dump(t, 0), dump(t, 4000), dump(t, 0)
		save(t, damaged, []byte("no profile"))
		var log bytes.Buffer
		to := &target{}
		e := start(t, heirOf(time.Minute, missing, damaged, large, good), to,
			export.Config{Interval: time.Hour, QueueBytes: 64 << 10, Logger: logTo(&log)})
		synctest.Wait()
		for _, path := range []string{missing, damaged, large} {
			if !strings.Contains(log.String(), "path="+path) {
				t.Errorf("%s is not in\n%s", path, &log)
			}
		}
		if diff := cmp.Diff([]string{good}, recoveredOf(to.arrived)); diff != "" {
			t.Errorf("arrived (-want +got):\n%s", diff)
		}
		checkStats(t, e, map[string]uint64{"export_recovered_failed": 3, "export_recovered_pushed": 1})
	})
}

func TestProfilerThatPanicsOrFailsToRecoverIsReported(t *testing.T) {
	for about, recovered := range map[string]func(context.Context) ([]cgoheap.Recovered, error){
		"panics": func(context.Context) ([]cgoheap.Recovered, error) { panic("no black box") },
		"fails":  func(context.Context) ([]cgoheap.Recovered, error) { return nil, errors.New("no black box") },
	} {
		t.Run(about, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				to := &target{}
				e := start(t, &heir{recovered: recovered}, to, export.Config{Logger: logTo(&log)})
				time.Sleep(time.Minute)
				if err := e.Stop(); err != nil {
					t.Error(err)
				}
				if !strings.Contains(log.String(), "no black box") || len(to.numbers(t)) < 4 {
					t.Errorf("%d profiles arrived, and the log has\n%s", len(to.arrived), &log)
				}
				checkStats(t, e, map[string]uint64{"export_recovered_failed": 1})
			})
		})
	}
}

func TestStopDoesNotWaitForARecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		h := &heir{recovered: func(ctx context.Context) ([]cgoheap.Recovered, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		e := start(t, h, &target{}, export.Config{Interval: time.Hour, Logger: logTo(&log)})
		began := time.Now()
		if err := e.Stop(); err != nil || time.Since(began) != 0 || log.Len() > 0 {
			t.Errorf("Stop took %v: %v, and the log has\n%s", time.Since(began), err, &log)
		}
	})
}

func TestRecoveredProfileThatStopLeavesIsInTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := dump(t, 0)
		var log bytes.Buffer
		to := &target{answer: always(&delivery.Failure{Err: errors.New("away"), Verdict: delivery.Later})}
		e := start(t, heirOf(time.Minute, path), to, export.Config{Interval: time.Hour, Logger: logTo(&log)})
		synctest.Wait()
		if err := e.Stop(); err == nil {
			t.Error("Stop reports no profile that was left")
		}
		if !strings.Contains(log.String(), "path="+path) || !slices.Contains(strings.Fields(log.String()), "level=WARN") {
			t.Error(log.String())
		}
	})
}

func parse(t *testing.T, data []byte) *profile.Profile {
	t.Helper()
	p, err := profile.ParseData(data)
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func save(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

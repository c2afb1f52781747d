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

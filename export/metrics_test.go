package export_test

import (
	"context"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/export"
	"github.com/cgoheap/cgoheap/export/internal/delivery"
	"github.com/cgoheap/cgoheap/export/internal/standin"
)

// metric returns the values of a metric of one target by their labels; nil if it has none.
func metric(list []cgoheap.Metric, name, target string) (values map[string]float64) {
	for _, m := range list {
		if m.Name == name && m.Target == target && len(m.Values) > 0 {
			values = map[string]float64{}
			for _, v := range m.Values {
				values[v.Label] = v.Value
			}
		}
	}
	return values
}

func mustHave(t *testing.T, list []cgoheap.Metric, name string, want map[string]float64) {
	t.Helper()
	if diff := cmp.Diff(want, metric(list, name, "http://server")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestMetricsCountWhatArrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, to := &standin.Profiler{}, &target{}
		e := start(t, p, to, export.Config{})
		if at := metric(p.Metrics(), "cgoheap_export_last_push_timestamp_seconds", "http://server"); at != nil {
			t.Errorf("before the first push: %v", at)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		list, arrived := p.Metrics(), float64(len(to.arrived))
		mustHave(t, list, "cgoheap_export_taken_total", map[string]float64{"": arrived})
		mustHave(t, list, "cgoheap_export_pushes_total", map[string]float64{"arrived": arrived, "retried": 0, "refused": 0, "given_up": 0})
		mustHave(t, list, "cgoheap_export_pushed_bytes_total", map[string]float64{"": float64(e.Stats().Value("export_pushed_bytes"))})
		last := to.attempts[len(to.attempts)-1].at
		mustHave(t, list, "cgoheap_export_last_push_timestamp_seconds", map[string]float64{"": float64(last.UnixNano()) / 1e9})
		mustHave(t, list, "cgoheap_export_queue_profiles", map[string]float64{"": 0})
		if arrived < 200 || e.Stats().Value("export_pushed_bytes") == 0 {
			t.Errorf("%v arrived", arrived)
		}
		_ = e.Stop()
		if list := p.Metrics(); len(list) > 0 {
			t.Errorf("after Stop there is %v", list)
		}
	})
}

func TestMetricsCountWhatDoesNotArrive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, to := &standin.Profiler{}, &target{}
		to.answer = func(n int, _ context.Context) error {
			switch {
			case n == 0:
				return nil
			case n == 1:
				return &delivery.Failure{Err: errors.New("no"), Verdict: delivery.Refused}
			case n < 7:
				return errors.New("broken") // doubtful: five times
			}
			return &delivery.Failure{Err: errors.New("away"), Verdict: delivery.Later}
		}
		e := start(t, p, to, export.Config{QueueBatches: 4})
		time.Sleep(time.Hour)
		synctest.Wait()
		list, s := p.Metrics(), e.Stats()
		mustHave(t, list, "cgoheap_export_pushes_total", map[string]float64{
			"arrived": 1, "refused": 1, "given_up": 1, "retried": float64(len(to.attempts) - 3)})
		mustHave(t, list, "cgoheap_export_lost_total", map[string]float64{
			"failed": 0, "refused": 1, "given_up": 1, "dropped": float64(s.Value("export_dropped")), "expired": 0})
		mustHave(t, list, "cgoheap_export_queue_profiles", map[string]float64{"": 4})
		mustHave(t, list, "cgoheap_export_queue_bytes", map[string]float64{"": float64(s.Value("export_queue_bytes"))})
		if s.Value("export_dropped") < 200 || s.Value("export_queue_bytes") == 0 {
			t.Error(s)
		}
	})
}

func TestTwoExportersToOneServerHaveMetricsOfTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &standin.Profiler{}
		one := start(t, p, &target{}, export.Config{})
		start(t, p, &target{}, export.Config{})
		for _, name := range []string{"http://server", "http://server 2"} {
			if metric(p.Metrics(), "cgoheap_export_taken_total", name) == nil {
				t.Errorf("%s has no metrics", name)
			}
		}
		_ = one.Stop()
		if metric(p.Metrics(), "cgoheap_export_taken_total", "http://server") != nil {
			t.Error("the one that has stopped has metrics")
		}
		start(t, p, &target{}, export.Config{})
		if metric(p.Metrics(), "cgoheap_export_taken_total", "http://server") == nil {
			t.Error("the next one has none")
		}
	})
}

// The table of docs/metrics.md has each metric of an exporter, and no other: the core compares the other rows.
func TestTheDocsListTheMetrics(t *testing.T) {
	text, err := os.ReadFile("../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		p := &standin.Profiler{}
		start(t, p, &target{}, export.Config{})
		var want []string
		for _, m := range p.Metrics() {
			kind, labels := "gauge", "`target`"
			if m.Counter {
				kind = "counter"
			}
			if m.Label != "" {
				labels += ", `" + m.Label + "`"
			}
			want = append(want, "| `"+m.Name+"` | "+kind+" | "+labels+" | "+m.Help+" |")
		}
		got := regexp.MustCompile("(?m)^\\| `cgoheap_export_.*$").FindAllString(string(text), -1)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s\n%s", diff, strings.Join(want, "\n"))
		}
	})
}

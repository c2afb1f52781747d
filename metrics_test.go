//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/internal/victim"
)

func scrape(t *testing.T, p *Profiler, query string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	p.PagesHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/debug/cgoheap/metrics"+query, nil))
	return w
}

// metric returns the values of a metric by their labels; nil if it has none.
func metric(list []Metric, name string) (values map[string]float64) {
	for _, m := range list {
		if m.Name == name && len(m.Values) > 0 {
			values = map[string]float64{}
			for _, v := range m.Values {
				values[v.Label] = v.Value
			}
		}
	}
	return values
}

func TestMetrics(t *testing.T) {
	p := start(t, everything)
	const size = 3 << 20
	before := metric(p.Metrics(), "cgoheap_native_in_use_bytes")[""]
	block := allocate(size)
	defer victim.Free(block)
	list := p.Metrics()

	if grown := metric(list, "cgoheap_native_in_use_bytes")[""] - before; grown < size || grown > 2*size {
		t.Errorf("%d bytes were allocated, and the metric grew by %v", size, grown)
	}
	var sum float64
	for _, bytes := range metric(list, "cgoheap_account_bytes") {
		sum += bytes
	}
	if rss := metric(list, "cgoheap_account_rss_bytes")[""]; sum != rss || rss == 0 {
		t.Errorf("the lines add up to %v, and RSS is %v", sum, rss)
	}
	for name, want := range map[string]float64{"cgoheap_up": 1, "cgoheap_sample_interval_bytes": 1, "cgoheap_account_partial": 0} {
		if got := metric(list, name); got[""] != want || got == nil {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	for part, up := range metric(list, "cgoheap_part_up") {
		if up != 1 {
			t.Errorf("the part %s is missing", part)
		}
	}
	stats, losses, faults := p.Stats(), metric(list, "cgoheap_losses_total"), metric(list, "cgoheap_faults")
	for _, reason := range []string{"lost_stack_table_full", "stacks_cut_depth"} {
		if _, known := losses[reason]; !known {
			t.Errorf("the loss %s is missing in %v", reason, losses)
		}
	}
	for _, reason := range []string{"mappings_off", "modules_without_rows", "blackbox_pages_missing"} {
		if got, known := faults[reason]; !known || got != float64(stats.Value(reason)) {
			t.Errorf("the fault %s is %v, %v", reason, got, known)
		}
	}
	if len(losses)+len(faults) > 50 || metric(list, "cgoheap_samples_total")[""] == 0 {
		t.Errorf("%d losses, %d faults, %v", len(losses), len(faults), metric(list, "cgoheap_samples_total"))
	}
}

func TestScrapesShareAnAccount(t *testing.T) {
	p := start(t, everything)
	first := metric(p.Metrics(), "cgoheap_account_timestamp_seconds")[""]
	p.accounts.due = time.Now().Add(time.Hour)
	if second := metric(p.Metrics(), "cgoheap_account_timestamp_seconds")[""]; second != first {
		t.Errorf("it is of %f, then of %f", first, second)
	}
	p.accounts.due = time.Time{}
	if third := metric(p.Metrics(), "cgoheap_account_timestamp_seconds")[""]; third <= first {
		t.Errorf("it is of %f, and when another is due, of %f", first, third)
	}
}

func TestAScrapeDoesNotWaitForAnAccountThatHangs(t *testing.T) {
	p := start(t, everything)
	looking.Lock()
	list := p.Metrics()
	looking.Unlock()
	if got := metric(list, "cgoheap_part_up"); got["account"] != 0 || got["counters"] != 1 {
		t.Error(got)
	}
	if metric(list, "cgoheap_account_bytes") != nil {
		t.Error("there are lines")
	}
}

func TestAPartThatFailsOrPanicsIsLeftOut(t *testing.T) {
	p := start(t, everything)
	before := running
	running = usage.Kernel{Proc: filepath.Join(t.TempDir(), "none"), Cgroups: before.Cgroups}
	defer func() { running = before }()
	parts := metricParts
	defer func() { metricParts = parts }()
	metricParts = append(append([]metricPart{}, parts...),
		metricPart{"panics", func(*Profiler) ([]Metric, error) { panic("on purpose") }},
		metricPart{"fails", func(*Profiler) ([]Metric, error) { return []Metric{{Name: "half"}}, errors.New("on purpose") }})
	list := p.Metrics()
	got := metric(list, "cgoheap_part_up")
	for part, want := range map[string]float64{"rss": 0, "panics": 0, "fails": 0, "recording": 1, "counters": 1, "go": 1} {
		if got[part] != want {
			t.Errorf("%s: %v", part, got[part])
		}
	}
	if metric(list, "cgoheap_rss_bytes") != nil || metric(list, "cgoheap_samples_total") == nil {
		t.Error("the wrong part is missing")
	}
}

func TestTheMetricsPage(t *testing.T) {
	p := start(t, everything)
	defer victim.Free(allocate(1000))
	answer := scrape(t, p, "")
	if answer.Code != http.StatusOK || answer.Header().Get("Content-Type") != "text/plain; version=0.0.4; charset=utf-8" {
		t.Errorf("%d, %v", answer.Code, answer.Header())
	}
	for _, want := range []string{"\n# TYPE cgoheap_samples_total counter\n", "\n# TYPE cgoheap_rss_bytes gauge\n", `cgoheap_account_bytes{line="malloc: in use"} `} {
		if !strings.Contains(answer.Body.String(), want) {
			t.Errorf("%q is missing in\n%s", want, answer.Body)
		}
	}
	if answer := scrape(t, p, "?format=json"); answer.Code != http.StatusBadRequest || !strings.Contains(answer.Body.String(), "format=json") {
		t.Errorf("%d, %s", answer.Code, answer.Body)
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	answer = scrape(t, p, "")
	text := answer.Body.String()
	for _, want := range []string{"\ncgoheap_up 0\n", `cgoheap_part_up{part="account"} 0`, "\ncgoheap_samples_total "} {
		if answer.Code != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("after Stop, %q is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, "cgoheap_native_in_use_bytes") || strings.Contains(text, "cgoheap_account_bytes") {
		t.Errorf("after Stop there is memory in\n%s", text)
	}
}

func TestMetricsOfDumps(t *testing.T) {
	p := start(t, everything)
	dir := t.TempDir()
	stop, err := p.DumpOnSignal(dir, syscall.SIGUSR2)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if at := metric(p.Metrics(), "cgoheap_last_dump_timestamp_seconds"); at != nil {
		t.Errorf("before the first dump: %v", at)
	}
	begin := time.Now()
	if err := syscall.Kill(os.Getpid(), syscall.SIGUSR2); err != nil {
		t.Fatal(err)
	}
	for metric(p.Metrics(), "cgoheap_dumps_total")["written"] == 0 {
		time.Sleep(time.Millisecond)
	}
	list := p.Metrics()
	if at := metric(list, "cgoheap_last_dump_timestamp_seconds")[""]; at < seconds(begin) || at > seconds(time.Now()) {
		t.Errorf("%f, want the time from %v on", at, begin)
	}
	if metric(list, "cgoheap_work_seconds_total")["profile"] <= 0 {
		t.Error("a dump took no time")
	}
}

// The table of docs/metrics.md has each metric with its type, its label and its words, and no other.
func TestTheDocsListTheMetrics(t *testing.T) {
	text, err := os.ReadFile("docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, row := range regexp.MustCompile("(?m)^\\| `cgoheap_.*$").FindAllString(string(text), -1) {
		if !strings.Contains(row, "`cgoheap_export_") { // export/metrics_test.go compares these
			got = append(got, row)
		}
	}
	for _, m := range start(t, everything).Metrics() {
		kind, label := "gauge", ""
		if m.Counter {
			kind = "counter"
		}
		if m.Label != "" {
			label = "`" + m.Label + "`"
		}
		want = append(want, strings.ReplaceAll("| `"+m.Name+"` | "+kind+" | "+label+" | "+m.Help+" |", "|  |", "| |"))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkScrape(b *testing.B) {
	p, err := Start(Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = p.Stop() }()
	_ = p.Metrics()
	b.ReportAllocs()
	for b.Loop() {
		metricsText(p.Metrics())
	}
}

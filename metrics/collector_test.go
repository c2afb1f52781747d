//go:build linux && (amd64 || arm64) && cgo

package metrics

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/serve"
)

func start(t *testing.T) *cgoheap.Profiler {
	t.Helper()
	p, err := cgoheap.Start(cgoheap.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop() })
	return p
}

func page(t *testing.T, p *cgoheap.Profiler) string {
	t.Helper()
	w := httptest.NewRecorder()
	p.PagesHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/debug/cgoheap/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatal(w.Code, w.Body)
	}
	return w.Body.String()
}

// served is what a service with a registry answers to a scrape.
func served(t *testing.T, s Source) string {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(NewCollector(s))
	w := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatal(w.Code, w.Body)
	}
	return w.Body.String()
}

func parsed(t *testing.T, text string) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return families
}

// valuesOf returns a family's values by their labels.
func valuesOf(f *dto.MetricFamily) map[string]float64 {
	values := map[string]float64{}
	for _, m := range f.GetMetric() {
		label := ""
		for _, l := range m.GetLabel() {
			label += l.GetName() + "=" + l.GetValue()
		}
		values[label] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
	}
	return values
}

func TestTheLinterHasNoRemark(t *testing.T) {
	p := start(t)
	for name, lint := range map[string]func() ([]promlint.Problem, error){
		"the collector": func() ([]promlint.Problem, error) { return testutil.CollectAndLint(NewCollector(p)) },
		"the page":      func() ([]promlint.Problem, error) { return promlint.New(strings.NewReader(page(t, p))).Lint() },
	} {
		problems, err := lint()
		if err != nil || len(problems) > 0 {
			t.Errorf("%s: %v, %v", name, problems, err)
		}
	}
}

// fixed has the metrics of one moment, so that nothing moves between two scrapes.
type fixed []cgoheap.Metric

func (f fixed) Metrics() []cgoheap.Metric { return f }

// text is how the page writes them.
func (f fixed) text() string {
	var w serve.Exposition
	for _, m := range f {
		w.Metric(m.Name, m.Help, m.Counter)
		for _, v := range m.Values {
			w.Value(m.Name, v.Value, serve.Label{Key: m.Label, Value: v.Label})
		}
	}
	return w.String()
}

func mustAgree(t *testing.T, one, other map[string]*dto.MetricFamily, values bool) {
	t.Helper()
	for name, f := range one {
		g := other[name]
		if g == nil || f.GetType() != g.GetType() || f.GetHelp() != g.GetHelp() {
			t.Errorf("%s: %v and %v", name, f, g)
			continue
		}
		for label, value := range valuesOf(f) {
			if got, known := valuesOf(g)[label]; !known && name != "cgoheap_unnamed_addresses" || values && got != value {
				t.Errorf("%s{%s}: %v and %v, %v", name, label, value, got, known)
			}
		}
	}
}

func TestThePageAndTheCollectorAgree(t *testing.T) {
	p := start(t)
	t.Run("in names, types, words and labels of a process that goes on", func(t *testing.T) {
		one, other := parsed(t, page(t, p)), parsed(t, served(t, p))
		if len(one) < 20 {
			t.Errorf("%d metrics", len(one))
		}
		mustAgree(t, one, other, false)
		mustAgree(t, other, one, false)
		for _, name := range []string{"cgoheap_account_bytes", "cgoheap_account_timestamp_seconds", "cgoheap_account_rss_bytes"} { // they share it
			mustAgree(t, map[string]*dto.MetricFamily{name: one[name]}, other, true)
		}
	})
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	t.Run("to the digit after Stop, when nothing moves", func(t *testing.T) {
		one, other := parsed(t, page(t, p)), parsed(t, served(t, p))
		if up := valuesOf(one["cgoheap_up"]); up[""] != 0 || len(up) != 1 {
			t.Error(up)
		}
		for _, moving := range []string{"cgoheap_rss_bytes", "cgoheap_go_in_use_bytes"} {
			delete(one, moving)
			delete(other, moving)
		}
		mustAgree(t, one, other, true)
		mustAgree(t, other, one, true)
	})
}

func TestHostileNamesStayLabels(t *testing.T) {
	const name = "/tmp/\"} 1\n# TYPE x counter\nx{y=\"\\n\\"
	f := fixed{{Name: "cgoheap_test_bytes", Help: "of a file\nname \\ \"", Label: "file",
		Values: []cgoheap.MetricValue{{Label: name, Value: 1 << 53}, {Label: "not \xff UTF-8", Value: 0.1}, {Label: "", Value: -1}}}}
	for by, text := range map[string]string{"the page's writer": f.text(), "the collector": served(t, f)} {
		families := parsed(t, text)
		got := valuesOf(families["cgoheap_test_bytes"])
		if len(families) != 1 || len(got) != 3 || got["file="+name] != 1<<53 || got["file=not \uFFFD UTF-8"] != 0.1 || got["file="] != -1 {
			t.Errorf("%s: %v in\n%s", by, got, text)
		}
		if help := families["cgoheap_test_bytes"].GetHelp(); help != f[0].Help {
			t.Errorf("%s: %q", by, help)
		}
	}
}

func TestMetricsOfSeveralTargets(t *testing.T) {
	pushes := cgoheap.Metric{Name: "cgoheap_export_pushes_total", Help: "attempts", Counter: true, Label: "result"}
	queue := cgoheap.Metric{Name: "cgoheap_export_queue_bytes", Help: "waiting", Values: []cgoheap.MetricValue{{Value: 7}}}
	one, two := pushes, pushes
	one.Target, one.Values = "http://one", []cgoheap.MetricValue{{Label: "arrived", Value: 3}, {Label: "refused"}}
	two.Target, two.Values = "two \xff", []cgoheap.MetricValue{{Label: "arrived", Value: 4}}
	queue.Target = "http://one"
	families := parsed(t, served(t, fixed{one, two, queue}))
	got := valuesOf(families["cgoheap_export_pushes_total"])
	if len(got) != 3 || got["result=arrivedtarget=http://one"] != 3 || got["result=arrivedtarget=two \uFFFD"] != 4 {
		t.Error(got)
	}
	if got := valuesOf(families["cgoheap_export_queue_bytes"]); got["target=http://one"] != 7 || len(got) != 1 {
		t.Error(got)
	}
	if problems, err := testutil.CollectAndLint(NewCollector(fixed{one, two, queue})); err != nil || len(problems) > 0 {
		t.Error(problems, err)
	}
}

func TestAScrapeWhileTheProfilerStops(t *testing.T) {
	p := start(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 20 {
			_, _ = io.WriteString(io.Discard, served(t, p))
		}
	}()
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
	<-done
}

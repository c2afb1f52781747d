//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pushes is what an exporter to a server has.
func pushes(target string, arrived float64) func() []Metric {
	return func() []Metric {
		return []Metric{
			{Name: "cgoheap_export_pushes_total", Help: "attempts", Counter: true, Label: "result", Target: target,
				Values: []MetricValue{{"arrived", arrived}, {"refused", 0}}},
			{Name: "cgoheap_export_queue_bytes", Help: "waiting", Target: target, Values: []MetricValue{{"", 7}}},
		}
	}
}

// exported is the part of the page that AddMetrics adds.
func exported(t *testing.T, p *Profiler) (text, up string) {
	t.Helper()
	answer := scrape(t, p, "")
	if answer.Code != http.StatusOK {
		t.Fatal(answer)
	}
	for _, line := range strings.SplitAfter(answer.Body.String(), "\n") {
		if strings.Contains(line, "cgoheap_export_") {
			text += line
		}
		if strings.Contains(line, `part="export"`) {
			up += line
		}
	}
	return text, up
}

func TestAddedMetricsAreOnThePage(t *testing.T) {
	p := start(t, everything)
	if text, up := exported(t, p); text+up != "" {
		t.Error(text, up)
	}
	removeOne := p.AddMetrics("export", pushes("http://one", 3))
	removeTwo := p.AddMetrics("export", pushes(`http://"two"`, 4))
	defer p.AddMetrics("export", pushes("http://one", 5))() // already there
	const one = `# HELP cgoheap_export_pushes_total attempts
# TYPE cgoheap_export_pushes_total counter
cgoheap_export_pushes_total{result="arrived",target="http://one"} 3
cgoheap_export_pushes_total{result="refused",target="http://one"} 0
`
	text, up := exported(t, p)
	if diff := cmp.Diff(one+`cgoheap_export_pushes_total{result="arrived",target="http://\"two\""} 4
cgoheap_export_pushes_total{result="refused",target="http://\"two\""} 0
# HELP cgoheap_export_queue_bytes waiting
# TYPE cgoheap_export_queue_bytes gauge
cgoheap_export_queue_bytes{target="http://one"} 7
cgoheap_export_queue_bytes{target="http://\"two\""} 7
`, text); diff != "" {
		t.Error(diff)
	}
	if up != `cgoheap_part_up{part="export"} 1`+"\n" {
		t.Error(up)
	}
	removeOne()
	removeOne()
	removeTwo()
	if text, _ := exported(t, p); !strings.HasPrefix(text, strings.Replace(one, " 3", " 5", 1)) || strings.Contains(text, "two") {
		t.Error(text)
	}
}

func TestAddedMetricsThatAreWrongAreLeftOut(t *testing.T) {
	p := start(t, everything)
	defer p.AddMetrics("export", pushes("http://one", 3))()
	defer p.AddMetrics("export", func() []Metric { panic("on purpose") })()
	defer p.AddMetrics("mine", func() []Metric {
		return []Metric{{Name: "cgoheap_rss_bytes", Help: "another", Target: "x", Values: []MetricValue{{"", 1}}}}
	})()
	list := p.Metrics()
	if got := metric(list, "cgoheap_part_up"); got["export"] != 0 || got["mine"] != 1 || got["counters"] != 1 {
		t.Error(got)
	}
	if got := metric(list, "cgoheap_export_pushes_total"); got["arrived"] != 3 {
		t.Error(got)
	}
	for _, m := range list {
		if m.Target == "x" {
			t.Errorf("%+v", m)
		}
	}
}

func TestMetricsAreAddedDuringScrapes(t *testing.T) {
	p := start(t, everything)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 20 {
				remove := p.AddMetrics("export", pushes("http://one", 1))
				p.Metrics()
				remove()
			}
		})
	}
	all.Wait()
	var remove func()
	remove = p.AddMetrics("export", func() []Metric { remove(); return nil })
	p.Metrics()
	if text, up := exported(t, p); text+up != "" {
		t.Error(text, up)
	}
}

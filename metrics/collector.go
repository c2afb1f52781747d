package metrics

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/cgoheap/cgoheap"
)

// Source has metrics: it is a *cgoheap.Profiler.
type Source interface{ Metrics() []cgoheap.Metric }

var _ Source = (*cgoheap.Profiler)(nil)

// Collector is a prometheus.Collector. It may be registered before its source has anything, and after Stop.
type Collector struct{ source Source }

// NewCollector returns a Collector of the source's metrics.
func NewCollector(s Source) *Collector { return &Collector{s} }

// Describe describes nothing, because which metrics there are is known at each scrape only: a part that cannot be read is missing.
func (c *Collector) Describe(chan<- *prometheus.Desc) {}

// Collect sends the metrics of this moment.
func (c *Collector) Collect(to chan<- prometheus.Metric) {
	for _, m := range c.source.Metrics() {
		send(to, &m)
	}
}

func send(to chan<- prometheus.Metric, m *cgoheap.Metric) {
	kind, keys := prometheus.GaugeValue, []string(nil)
	if m.Counter {
		kind = prometheus.CounterValue
	}
	if m.Label != "" {
		keys = []string{m.Label}
	}
	var fixed prometheus.Labels
	if m.Target != "" {
		fixed = prometheus.Labels{"target": strings.ToValidUTF8(m.Target, "\uFFFD")}
	}
	about := prometheus.NewDesc(m.Name, m.Help, keys, fixed)
	for _, v := range m.Values {
		var labels []string
		if m.Label != "" {
			labels = []string{strings.ToValidUTF8(v.Label, "\uFFFD")} // what is not UTF-8 would fail the whole scrape
		}
		one, err := prometheus.NewConstMetric(about, kind, v.Value, labels...)
		if err != nil {
			continue // a name that is none, which Profiler has not
		}
		to <- one
	}
}

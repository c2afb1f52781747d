package cgoheap

import (
	"fmt"
	"net/http"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/exposition"
	"github.com/cgoheap/cgoheap/internal/page"
)

// Metric is one of the profiler's metrics. Its name and unit follow the conventions of Prometheus. docs/metrics.md has the list.
type Metric struct {
	Name    string // with the unit at its end, which is bytes or seconds; then _total for a counter
	Help    string // what it is
	Counter bool   // it only grows until the process ends; otherwise it is a gauge
	Label   string // the key of the label that tells its values apart; "" if there can be one value only
	Target  string // the value of the label "target", which all its values have: the server of an exporter; "" for none

	Values []MetricValue // none if nothing is known
}

// MetricValue is a value of a Metric, with the value of its label.
type MetricValue struct {
	Label string
	Value float64
}

// Metrics returns the profiler's metrics, in a fixed order. They are meant to be asked for every few seconds: the lines of the
// account are those of the last minute at most, because all callers share one for 200 times as long as it took, from 5 s to a minute.
// Everything else is of this moment, and takes less than a millisecond. If a part cannot be read, its metrics are missing, and
// cgoheap_part_up is 0 for it. After Stop cgoheap_up is 0, and what was counted remains. Metrics that AddMetrics added come last;
// those of one name stand together and differ in their Target.
func (p *Profiler) Metrics() []Metric {
	up := Metric{Name: "cgoheap_up", Help: "1 while native allocations are recorded, 0 after Stop",
		Values: one(p.recording.SampleBytes() > 0)}
	parts := Metric{Name: "cgoheap_part_up", Help: "1 for each part of these metrics that could be read, 0 for one whose metrics are missing", Label: "part"}
	var list []Metric
	for _, part := range metricParts {
		made, err := p.metricsOf(part)
		list = append(list, made...)
		parts.Values = append(parts.Values, MetricValue{part.name, number(err == nil)})
	}
	made, values := p.added.read(p.metricsOf)
	parts.Values = append(parts.Values, values...)
	return append(append([]Metric{up, parts}, list...), made...)
}

// metricsOf reads a part; none of it if that panics.
func (p *Profiler) metricsOf(part metricPart) (list []Metric, err error) {
	if fault := background.Guard("a part of the metrics", func() { list, err = part.read(p) }); fault != nil {
		_ = background.Guard("the report", func() { p.failed(fault) })
		err = fault
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

func number(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func one[N bool | int64 | uint64 | float64](n N) []MetricValue {
	switch n := any(n).(type) {
	case bool:
		return []MetricValue{{Value: number(n)}}
	case int64:
		return []MetricValue{{Value: float64(n)}}
	case uint64:
		return []MetricValue{{Value: float64(n)}}
	}
	return []MetricValue{{Value: any(n).(float64)}}
}

// serveMetrics takes no parameters.
func (p *Profiler) serveMetrics(w http.ResponseWriter, r *http.Request) {
	if r.URL.RawQuery != "" {
		page.Error(w, fmt.Sprintf("cgoheap: the metrics have no parameters, and there are %q", r.URL.RawQuery), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", exposition.ContentType)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(metricsText(p.Metrics()))
}

// metricsText returns the metrics that have values, in Prometheus's text format.
func metricsText(list []Metric) []byte {
	var text exposition.Writer
	last, target := "", exposition.Label{Key: "target"}
	for _, m := range list {
		if len(m.Values) == 0 {
			continue
		}
		if m.Name != last {
			text.Metric(m.Name, m.Help, m.Counter)
			last = m.Name
		}
		for _, v := range m.Values {
			labels := []exposition.Label{{Key: m.Label, Value: v.Label}}
			if m.Target != "" {
				target.Value = m.Target
				labels = append(labels, target)
			}
			text.Value(m.Name, v.Value, labels...)
		}
	}
	return text.Bytes()
}

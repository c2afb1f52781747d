package export

import (
	"fmt"
	"sync"

	"github.com/cgoheap/cgoheap"
)

// measured is a Profiler that has metrics. It is not part of Profiler, so that other implementations of that need not have it.
type measured interface {
	AddMetrics(part string, read func() []cgoheap.Metric) (remove func())
}

var _ measured = (*cgoheap.Profiler)(nil)

// measure adds the exporter's metrics to those of its profiler, until the function that it returns is called.
func (e *Exporter) measure(p Profiler, target string) (end func()) {
	to, is := p.(measured)
	if !is {
		return func() {}
	}
	name, release := names.take(target)
	remove := func() {}
	_ = guarded("the profiler", func() error {
		remove = to.AddMetrics("export", func() []cgoheap.Metric { return e.metrics(name) })
		return nil
	})
	return func() {
		_ = guarded("the profiler", func() error { remove(); return nil })
		release()
	}
}

// metrics are the exporter's, which docs/metrics.md lists.
func (e *Exporter) metrics(target string) []cgoheap.Metric {
	list := e.counters.metrics(e.queue.size())
	for i := range list {
		list[i].Target = target
	}
	return list
}

func (c *counters) metrics(batches int, bytes int64) []cgoheap.Metric {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := cgoheap.Metric{Name: "cgoheap_export_last_push_timestamp_seconds",
		Help: "when a profile last arrived, in seconds since 1970; missing before the first"}
	if !c.lastPush.IsZero() {
		last.Values = one(float64(c.lastPush.UnixNano()) / 1e9)
	}
	return []cgoheap.Metric{
		{Name: "cgoheap_export_taken_total", Counter: true, Values: one(float64(c.taken)), Help: "profiles taken to be sent"},
		{Name: "cgoheap_export_pushes_total", Counter: true, Label: "result", Help: "attempts to send a profile, by how they ended",
			Values: []cgoheap.MetricValue{{Label: "arrived", Value: float64(c.sent + c.recovered)}, {Label: "retried", Value: float64(c.retry.times)},
				{Label: "refused", Value: float64(c.refusal.times + c.recoveredRefusal.times)}, {Label: "given_up", Value: float64(c.abandonment.times)}}},
		{Name: "cgoheap_export_pushed_bytes_total", Counter: true, Values: one(float64(c.sentBytes)),
			Help: "bytes of the profiles that arrived, compressed"},
		last,
		{Name: "cgoheap_export_lost_total", Counter: true, Label: "reason", Help: "profiles of this process that could not be taken or will not arrive, by reason",
			Values: []cgoheap.MetricValue{{Label: "failed", Value: float64(c.failure.times)}, {Label: "refused", Value: float64(c.refusal.times)},
				{Label: "given_up", Value: float64(c.abandonment.times)}, {Label: "dropped", Value: float64(c.dropped)}, {Label: "expired", Value: float64(c.expired)}}},
		{Name: "cgoheap_export_recovered_total", Counter: true, Label: "result", Help: "profiles of processes that died, by what became of them",
			Values: []cgoheap.MetricValue{{Label: "arrived", Value: float64(c.recovered)}, {Label: "refused", Value: float64(c.recoveredRefusal.times)},
				{Label: "failed", Value: float64(c.recoveredFailure.times)}}},
		{Name: "cgoheap_export_queue_profiles", Values: one(float64(batches)), Help: "profiles in the queue now"},
		{Name: "cgoheap_export_queue_bytes", Values: one(float64(bytes)), Help: "bytes of the profiles in the queue now, compressed"},
	}
}

func one(value float64) []cgoheap.MetricValue { return []cgoheap.MetricValue{{Value: value}} }

// targetNames has what the metrics of this process's exporters call their targets.
type targetNames struct {
	mu    sync.Mutex
	taken map[string]bool
}

var names = targetNames{taken: map[string]bool{}}

// take returns the name, with a number behind it if another exporter has it, until release is called.
func (n *targetNames) take(target string) (name string, release func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	name = target
	for i := 2; n.taken[name]; i++ {
		name = fmt.Sprintf("%s %d", target, i)
	}
	n.taken[name] = true
	return name, func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.taken, name)
	}
}

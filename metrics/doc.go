// Package metrics adds cgoheap's metrics to a registry of Prometheus's client library, where a service has its own:
//
//	registry.MustRegister(metrics.NewCollector(profiler))
//
// They are those of /debug/cgoheap/metrics, with the same names and values, because both read Profiler.Metrics; scrape one of
// the two. An exporter's (module export) are among them. docs/metrics.md has the list. A scrape costs what Profiler.Metrics says.
package metrics

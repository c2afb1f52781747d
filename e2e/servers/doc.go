// Package servers tests delivery against the real Parca, the real Pyroscope and the real Collector of OpenTelemetry, in a module
// of its own. `make e2e` builds the servers and runs the tests; without the servers, most tests are skipped.
//
//	a service that leaks ──push or scrape──► a real server on loopback ──its query API──► stacks of names, and values
//	         └────────────────────────/debug/pprof/cgoheap─────────────────────────────► the same, without a server
//
// Both ways must lead to the same stacks with the same values, to the byte. Servers keep nothing else unchanged: they arrange
// labels, lines and addresses as they like. The Collector passes on what it received: it writes that into a file, in which
// addresses, lines and build IDs must be the same, too. Each test starts its own servers, on free ports, with scratch folders,
// and kills them; when it fails, it prints the end of their logs. Answers that come late are asked for again until a minute has
// passed. Between a real server and the service, a test can put a front, which requires a token, or fails in all the ways in
// which servers and networks fail.
//
// Two services are profiled: examples/leaky, which serves its profile and leaks as services do, and keeper, which pushes
// and keeps exactly the requested amount of memory.
//
// Another server is Prometheus, of Debian's package: it scrapes the metrics of examples/leaky by the configuration, the alerts and
// the dashboard's queries in examples/prometheus. Tests of these files need promtool only.
//
// The servers are built from tools/parca, tools/pyroscope and tools/otelcol, modules that nothing imports. Pyroscope's server
// is AGPL: it is started, never linked. Grafana Alloy is not tested: it scrapes as Parca does, by GET of the path.
package servers

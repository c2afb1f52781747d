// Package servers tests delivery against the real Parca and the real Pyroscope, in a module of its own. `make e2e` builds
// the servers and runs the tests; without the servers, most tests are skipped.
//
//	a service that leaks ──push or scrape──► a real server on loopback ──its query API──► stacks of names, and values
//	         └────────────────────────/debug/pprof/cgoheap─────────────────────────────► the same, without a server
//
// The two roads must lead to the same stacks with the same values, to the byte, which is all that servers keep: labels,
// lines and addresses are theirs to arrange. Each test starts servers of its own, on free ports, with scratch folders, and
// kills them; when it fails, it prints what they said last. What a server shows a moment late is asked for again until a
// minute has passed. Between a real server and the service there can be a front of the test's own, which wants a token, or
// fails in all the ways in which servers and networks fail.
//
// Two services are profiled: examples/leaky, which serves its profile and leaks as services do, and keeper, which pushes
// and keeps exactly as much memory as it is told.
//
// The servers are built from tools/parca and tools/pyroscope, modules that nothing imports. Pyroscope's server is AGPL: it
// is started, never linked. Grafana Alloy is not here: it scrapes as Parca does, by GET of the path.
package servers

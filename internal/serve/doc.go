// Package serve answers HTTP requests for the profiles, pages and metrics of a running profiler.
//
//	handler.go     the handlers, and what keeps a panic in one of them from the host
//	profiles.go    a profile for each GET, as net/http/pprof serves Go's
//	baselines.go   requests for a delta, which wait, and share baselines meanwhile
//	pages.go       what is below /debug/cgoheap/; package page has the browser's side
//	stacks.go      profiles as files, trees and source, for the page
//	parameters.go  the parameters of requests
//	exposition.go  Prometheus's text format
//
// It knows the profiler only as a Source, so it needs none of the promised types.
package serve

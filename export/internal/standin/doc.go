// Package standin has what stands in, in tests, for the profiler and for the servers: a profiler that needs no cgo and
// writes distinguishable profiles, and servers that keep the requests and answer what a test wants.
//
// It decodes messages field by field (Message), not with the code that encoded them.
package standin

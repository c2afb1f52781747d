// Command tenants shows who of a service's customers holds its native memory.
//
// The service renders documents in C and keeps the pages in a cache, which is C's as well: nothing in its stacks says
// whose they are. It does say so to the profiler, with runtime/pprof.Do, as it would for a CPU profile, and samples carry
// the label because Config.GoroutineLabels is set.
package main

// Command tenants shows which of a service's customers hold its native memory.
//
// The service renders documents in C and keeps the pages in a cache, which is C's as well: nothing in the stacks shows whose
// they are. The service labels its work with runtime/pprof.Do, as it would for a CPU profile, and samples get the label
// because Config.GoroutineLabels is set.
package main

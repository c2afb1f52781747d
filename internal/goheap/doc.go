// Package goheap reads Go's own heap profile as stacks of package stack, so that one profile can show all memory of a
// process: C's, from package alloc, and Go's, from here.
//
//	runtime's buckets ─► records (full stacks) ─► trimmed ─► inlined calls folded ─► scaled ─► stack.Profile
//
// The result equals the profiles "heap" and "allocs" of runtime/pprof, sample by sample: the same numbers, the same stacks,
// the same block sizes. It follows a few rules:
//
//   - One record of the runtime is one sample. A record is all blocks of one size that one stack allocated, freed ones
//     included; it stays when none is in use. Only records without any number are left out: the blocks are there,
//     but no garbage collection has published them yet.
//   - The numbers are as of the last finished collection, so that garbage is never counted as in use. For
//     fresh numbers, call runtime.GC before.
//   - The runtime's own frames at the leaf (mallocgc, makeslice) are taken away, unless there are no others (record.go).
//   - A machine return address stands for all calls that were inlined there. The runtime's stacks have a made-up
//     address for each of those as well, which are folded into the first (inlined.go). Naming the frame returns the
//     inlined calls, as from symbolize.GoLines.
//   - One sample per MemProfileRate bytes is scaled up by the chance that it had (record.go).
//
// # Full stacks
//
// The public runtime.MemProfile cuts stacks at 32 frames. runtime/pprof reads whole ones through a function that the
// runtime leaves open to be linked to, pprof_memProfileInternal, and so does this package, with a copy of the record that
// it fills in. But a copy can be out of date: the record lost a field in Go 1.27. With the wrong layout, the records would
// be garbage, or memory would be overwritten. So there is a copy for each known release. For an unknown release, the
// function is not even linked, because a profiler must not break a program's build. For the builds in between, Go's own
// snapshots and other people's toolchains, the copy is tried once, against runtime.MemProfile, in memory where it can do no
// harm (verify.go). If that fails, stacks have 32 frames, and a Loss counts the stacks that are cut, with the reason.
//
// # Notes
//
// Values are absolute since the program began, whatever else a profile begins with. Samples have no ID: the stack, the
// block size and the labels are the identity, and stack.Baseline makes deltas and growth of them, as godeltaprof does. So
// the package keeps no state.
//
// MemProfileRate is taken as it is when the profile is read, as runtime/pprof takes it. A program that changes it while it
// runs, which Go's documentation advises against, gets older samples scaled by the new rate.
//
// The linker turns Go's heap profiling off in programs that have no way to read it. With this package there is a way, so
// it is on, with Go's default of one sample per 512 KiB, unless the program sets MemProfileRate to 0.
//
// Deliberately absent: names (symbolize has them), labels, and any way to start or stop: the runtime always records.
package goheap

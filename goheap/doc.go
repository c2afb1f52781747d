// Package goheap reads Go's own heap profile as stacks of package stack, so that one profile can say where all memory of
// a process is: what C holds, from package alloc, and what Go holds, from here.
//
//	runtime's buckets ─► records (full stacks) ─► trimmed ─► inlined calls folded ─► scaled ─► stack.Profile
//
// What comes out is what runtime/pprof writes as the profiles "heap" and "allocs", sample by sample: the same numbers, the
// same stacks, the same block sizes. The rules that make it so are few, and each is a file:
//
//   - One record of the runtime is one sample. A record is all blocks of one size that one stack allocated, freed ones
//     included; it stays when none is in use any more. Only records without any number are left out: the blocks are there,
//     but no garbage collection has published them yet.
//   - The numbers are those of the last collection that was finished, so that garbage is never counted as in use. Who wants
//     them fresh calls runtime.GC before.
//   - The runtime's own frames at the leaf (mallocgc, makeslice) are taken away, unless there are no others (trim.go).
//   - A return address of the machine stands for all calls that were inlined there. The runtime's stacks have a made-up
//     address for each of those as well, which are folded into the first (inlined.go). Whoever names the frame gets the
//     calls back, as from symbolize.GoLines.
//   - One sample per MemProfileRate bytes is scaled up by the chance that it had (scale.go).
//
// # Full stacks, on the way that is there
//
// The public runtime.MemProfile cuts stacks at 32 frames. runtime/pprof reads whole ones through a function that the
// runtime leaves open to be linked to, pprof_memProfileInternal, and so does this package, with a copy of the record that
// it fills in. But a copy can be out of date: the record lost a field in Go 1.27. Written over the wrong layout, it would
// be nonsense, or worse. So there is a copy for each release that is known; for a release that is not, the function is not
// even linked to, because a profiler must not be the reason why a program does not build; and for the builds in between,
// Go's own snapshots and other people's toolchains, the copy is tried once, against runtime.MemProfile, in memory where
// no harm can be done (verify.go). Where it fails, there are 32 frames, and a Loss says of how many stacks the rest is
// missing, and why.
//
// # What to know
//
// Values are absolute since the program began, whatever else a profile begins with. Samples have no ID: the stack, the
// block size and the labels are the identity, and stack.Baseline makes deltas and growth of them, as godeltaprof does. So
// no state is kept here.
//
// MemProfileRate is taken as it is when the profile is read, as runtime/pprof takes it. A program that changes it while it
// runs, which Go's documentation advises against, gets older samples scaled by the new rate.
//
// The linker turns Go's heap profiling off in programs that have no way to read it. With this package there is a way, so
// it is on, with Go's default of one sample per 512 KiB, unless the program sets MemProfileRate to 0.
//
// Deliberately absent: names (symbolize has them), labels, and any way to start or stop: the runtime always records.
package goheap

// Package nativebench adds native memory to the results of benchmarks, which -benchmem leaves out: what malloc and its family,
// operator new, and libraries allocate below Go. It is for packages that call C through cgo.
//
//	func BenchmarkQuery(b *testing.B) {
//		db := open()
//		defer db.Close()
//		nativebench.Report(b) // right before the loop
//		for b.Loop() {
//			db.Query("SELECT …")
//		}
//	}
//
//	BenchmarkQuery-8  41218  28013 ns/op  0 leaked-native-B/op  1432 native-B/op  9.000 native-allocs/op  2216 peak-native-B
//
// All four are counts, not estimates, of what was allocated after Report, in all threads, also while b.StopTimer has stopped the
// timer. What libc allocates for a thread that Go's runtime begins does not count, because it begins one when it likes:
//
//	native-B/op         bytes that the program asked for, by b.N
//	native-allocs/op    blocks, by b.N. A realloc is a block of the new size, and frees the old one
//	peak-native-B       the most bytes that were in use at one moment
//	leaked-native-B/op  bytes still in use after the benchmark, its deferred functions and what it has registered with b.Cleanup after
//	                    Report, after a collection of Go's garbage with finalizers and cleanups, by b.N; without what libc and Go's
//	                    runtime keep for themselves
//
// benchstat compares them like any other metric. They hold for loops with b.Loop and b.N, b.RunParallel and sub-benchmarks; a
// benchmark with sub-benchmarks has no result of its own.
//
// Compare runs with the same number of iterations, such as -benchtime=100x. What is allocated once is divided by b.N, so the metrics
// by b.N shrink as b.N grows, and the peak of a benchmark that leaks grows with it.
//
// The peak of two runs differs where finalizers or cleanups free, because the garbage collector decides when, and where threads run
// at the same time. It is of the moment when the most was in use together with what libc had for Go's threads, which is then left
// out. So it may be too low by that much, about 300 bytes for each thread. The benchmark logs it if that is more than a hundredth.
//
// With Go 1.25, which does not say how many cleanups are left, memory that slow ones free may count as leaked.
//
// # Profiles
//
// With CGOHEAP_BENCH_DIR=DIR, each benchmark also writes a profile of its last run, DIR/PACKAGE/BenchmarkName.pb.gz, and one of the
// moment of the peak, BenchmarkName.peak.pb.gz. Both lack Go's threads. The first is written after the garbage is collected. A slash
// in the name becomes %2F. cgoheap diff -fail compares the profiles of two commits; their sums are of all iterations. If a profile cannot
// be written, the benchmark fails.
//
// # What it costs
//
// Every allocation is recorded with its stack, which takes 0.2 µs, and more for deep stacks, and is in the ns/op. Where
// time matters, run the benchmark again without: CGOHEAP=off has Report do nothing.
//
// # Where it does nothing
//
// Linux on amd64 or arm64, with cgo, and without -asan and -msan: elsewhere, and in a program that already records, Report logs
// that nothing is reported, and the benchmark goes on. If something was lost, because more blocks are in use than the tables have
// room for, or if a finalizer or cleanup of any package blocks, the benchmark fails: a wrong count is no result. Go counts what has ended
// by blocks of about 100 finalizers or 20 cleanups: a block that frees nothing native and takes a second counts as one that blocks.
package nativebench

// Package cgoheap is a heap profiler for the memory that Go's own profiler cannot see: what C and C++ code allocates
// inside a Go process. Linked into a service, it samples native allocations as they happen and writes pprof profiles
// whose stacks run from the caller of malloc through C and C++ into the Go code that called them.
//
//	profiler, err := cgoheap.Start(cgoheap.Config{})
//	if err != nil {
//		return err
//	}
//	defer profiler.Stop()
//	stop, err := profiler.DumpOnSignal(os.TempDir()) // kill -USR2 writes a profile there
//	if err != nil {
//		return err
//	}
//	defer stop()
//	http.Handle("GET /debug/pprof/cgoheap", profiler.Handler())
//
// A profile holds four values per stack, in the order of Go's own heap profile: allocated objects and bytes since Start,
// and objects and bytes in use. They are estimates for everything that was allocated, not only for what was sampled;
// with SampleBytes 1 they are exact. A Selection asks for other views: the peak, blocks by age, short-lived memory, growth
// since a Baseline; and for Go's own heap as well.
//
// # The journey of one allocation
//
// A reader who follows one sample through the packages in this order never has to turn back:
//
//	mappings → unwind → cgo    before anything is sampled: find the loaded files, make rows of their unwind data, publish them to C
//	cgo                        malloc is called: sample? walk the stack, intern it, remember the block until free
//	alloc → stack              a consistent snapshot as weighted stacks
//	mappings                   runtime address → file, build ID, ELF address
//	goheap                     Go's own heap, if the Selection asks for it
//	account                    all other memory that is resident, if the Selection asks for RSS
//	symbolize                  ELF address → functions, inlined ones too, with file and line
//	report                     the largest stacks, named, without hidden frames
//	pprof                      profile.proto as a stream, gzipped
//	cgoheap                    a file on a signal, an HTTP handler, any io.Writer
//
// # What is promised
//
// This package, packages auto, leaktest and nativebench, the names of the packages in allocators, cgo/cgoheap.h, and the module export with its
// targets keep what they have, as semantic versioning says; docs/release.md has the list. All other packages may change in any release.
//
// # What it does not see
//
// An Account and ViewRSS have all resident memory of the process; only ViewRSS has the stacks of memory that was mapped
// directly. There are no stacks for blocks allocated and memory mapped before Start, or for blocks of an allocator that a library
// brings along, unless package main imports its package in allocators. Only linux/amd64 and linux/arm64 with cgo are supported,
// without -asan and -msan; elsewhere Start returns ErrUnsupported.
package cgoheap

// Package cgoheap is a heap profiler for the memory that Go's own profiler cannot see: what C and C++ code allocates
// inside a Go process. Linked into a service, it samples native allocations as they happen and writes pprof profiles
// whose stacks run from the caller of malloc through C and C++ into the Go code that called them.
//
//	profiler, err := cgoheap.Start(cgoheap.Config{})
//	if err != nil {
//		return err
//	}
//	stop, err := profiler.DumpOnSignal("/var/tmp") // kill -USR2 writes a profile
//	http.Handle("GET /debug/pprof/cgoheap", profiler.Handler())
//
// A profile holds four values per stack, in the order of Go's own heap profile: allocated objects and bytes since Start,
// and objects and bytes in use. They are estimates for everything that was allocated, not only for what was sampled;
// with SampleBytes 1 they are exact. A Selection asks for other views: the peak, blocks by age, what is short-lived, what
// grew since a Moment, Go's own heap as well.
//
// # The journey of one allocation
//
// A reader who follows one sample through the rooms in this order never has to turn back:
//
//	mappings → unwind → cgo    before anything is sampled: loaded files, their unwind data as rows, put where C finds them
//	cgo                        malloc is called: sample? walk the stack, intern it, remember the block until free
//	alloc → stack              a consistent snapshot as weighted stacks
//	mappings                   runtime address → file, build ID, ELF address
//	goheap                     Go's own heap, if it is asked for
//	symbolize                  ELF address → functions, inlined ones too, with file and line
//	report                     the largest stacks, named, without machinery
//	pprof                      profile.proto as a stream, gzipped
//	cgoheap                    a file on a signal, an HTTP handler, any io.Writer
//
// # What it does not see
//
// Memory that does not come from malloc and its family (mmap used directly, allocators that a library brings along),
// blocks allocated before Start, and everything on platforms other than linux/amd64 and linux/arm64 with cgo, where
// Start returns ErrUnsupported.
package cgoheap

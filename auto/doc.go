// Package auto starts the profiler by being imported:
//
//	import _ "github.com/cgoheap/cgoheap/auto"
//
// The import records native allocations from the start of the program, serves profiles on http.DefaultServeMux under
// /debug/pprof/cgoheap, beside those of net/http/pprof, and writes one to a file when SIGUSR2 arrives. Environment
// variables say otherwise:
//
//	CGOHEAP                   off: the import does nothing
//	CGOHEAP_SAMPLE_BYTES      mean bytes between samples (512KiB); numbers may end in KiB, MiB or GiB
//	CGOHEAP_MAX_DEPTH         frames kept per stack (128)
//	CGOHEAP_TABLE_BYTES       bound on the profiler's tables (256MiB)
//	CGOHEAP_GOROUTINE_LABELS  true: labels of pprof.Do on samples
//	CGOHEAP_THREAD_NAMES      true: thread names on samples
//	CGOHEAP_HTTP              off: nothing is served
//	CGOHEAP_SIGNAL            the signal (USR2), by name or number; none or off: no dump on a signal
//	CGOHEAP_DUMP_DIR          where dumps go (the directory for temporary files)
//	CGOHEAP_DUMP_KEEP         how many are kept (10); 0: all
//	CGOHEAP_DUMP_KEEP_BYTES   how many bytes of them are kept; 0: all
//	CGOHEAP_HIGH_NATIVE       a dump when so many bytes of native memory are in use, e.g. 2GiB
//	CGOHEAP_HIGH_RSS          a dump when the resident memory is so many bytes
//	CGOHEAP_HIGH_CGROUP       a dump at this share of the control group's memory limit, e.g. 0.8 or 80%, and at each
//	                          half of the way from there to the limit
//	CGOHEAP_LOG               the least level to report: debug, info, warn, error or off
//
// Nothing of it stops the program: a value that makes no sense, or a platform where nothing can be recorded, is reported
// to slog's default logger, or to standard error if the program has set none, and its default holds. So is a variable of
// this prefix that does not exist. Where all is well, nothing is printed: that the recording has begun is reported at the
// level debug, and a dump, which somebody asked for, at the level info. Without CGOHEAP_LOG the program's logger decides
// which levels it keeps; the one that programs start with keeps info and above.
//
// While there is nothing to do, no goroutine of the profiler runs, so that leak checkers such as goleak find none: one
// starts when libraries were opened, a dump is due or, once a second, levels of memory are to be looked at, and ends after
// that. A thread of C's, "cgoheap", waits for it. Only if CGOHEAP_SIGNAL is not USR1, USR2 or a real-time signal, or the
// program is a library of Go's (c-shared, c-archive), is the signal caught by os/signal: then there are that package's
// goroutine os/signal.loop, which goleak knows, and one of cgoheap's, listen, which it is to be told to ignore.
//
// A library should not import it; that is for the main package to decide.
package auto

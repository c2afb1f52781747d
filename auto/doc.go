// Package auto starts the profiler by being imported:
//
//	import _ "github.com/cgoheap/cgoheap/auto"
//
// The import records native allocations from the start of the program, serves profiles on http.DefaultServeMux under
// /debug/pprof/cgoheap, beside net/http/pprof's profiles, and pages for people under /debug/cgoheap/, and writes a profile
// to a file when SIGUSR2 arrives. Environment variables change that:
//
//	CGOHEAP                   off: the import does nothing
//	CGOHEAP_SAMPLE_BYTES      mean bytes between samples (512KiB); numbers may end in KiB, MiB or GiB
//	CGOHEAP_MAX_DEPTH         frames kept per stack (128)
//	CGOHEAP_TABLE_BYTES       bound on the profiler's tables (256MiB)
//	CGOHEAP_GOROUTINE_LABELS  true: labels of pprof.Do on samples
//	CGOHEAP_THREAD_NAMES      true: thread names on samples
//	CGOHEAP_BLACKBOX          a directory in memory (tmpfs) for the tables, in a file that is still there after the process
//	                          was killed; the next start writes a dump of it into CGOHEAP_DUMP_DIR, if that is set, or into
//	                          this directory
//	CGOHEAP_TIMELINE          true: notes each second what memory the process takes; CGOHEAP_BLACKBOX includes it
//	CGOHEAP_SUSPECTS          true: keeps moments of the profile, so that /debug/cgoheap/suspects knows at once what
//	                          grows; each new suspect is reported at level warn
//	CGOHEAP_HTTP              off: no HTTP handlers
//	CGOHEAP_HOSTS             names, separated by commas, by which requests may ask for a trim, a dump and what else changes
//	                          something, such as *.example.org, beside addresses and localhost; if set, all others are refused
//	CGOHEAP_SIGNAL            the signal (USR2), by name or number; none or off: no dump on a signal
//	CGOHEAP_DUMP_DIR          where dumps go (the directory for temporary files)
//	CGOHEAP_DUMP_KEEP         how many dumps are kept (10); 0: all
//	CGOHEAP_DUMP_KEEP_BYTES   how many bytes of dumps are kept; 0: all
//	CGOHEAP_HIGH_NATIVE       a dump when this many bytes of native memory are in use, e.g. 2GiB
//	CGOHEAP_HIGH_RSS          a dump when resident memory reaches this many bytes
//	CGOHEAP_HIGH_CGROUP       a dump at this share of the control group's memory limit, e.g. 0.8 or 80%, then
//	                          after each half of the way that is left to the limit
//	CGOHEAP_HIGH_RATE         a dump when native memory has grown by this many bytes per minute, steadily, for
//	CGOHEAP_HIGH_RATE_MINUTES so many minutes (10): see cgoheap.HighWater
//	CGOHEAP_LOG               the least level to report: debug, info, warn, error or off
//
// No mistake here stops the program. An invalid value is reported to slog's default logger (standard error, if the program
// has set none) and replaced by the default. Variables of this prefix that do not exist, and a platform where nothing can be
// recorded, are reported too. If all is well, nothing is printed: the start of the recording is reported at level debug, and
// each dump, which somebody asked for, at level info. Without CGOHEAP_LOG the program's logger decides which levels it
// keeps; the logger that programs start with keeps info and above.
//
// While there is nothing to do, the program sees no goroutine of the profiler, so leak checkers such as goleak find none. One
// starts when libraries were opened, when a dump is due, to recover black boxes or, once a second, to check whether memory has
// reached a mark and to note the timeline, or to keep a moment for the suspects. It ends when that is done. A thread named
// "cgoheap" waits for the moment to start it; debug.SetMaxThreads counts it. There is an exception: if CGOHEAP_SIGNAL is not
// USR1, USR2 or a real-time signal, or in a library built with Go (c-shared, c-archive), and C has no handler for it, os/signal
// catches the signal. Then there are two goroutines: os/signal.loop, which goleak knows, and cgoheap's listen, which goleak
// must be made to ignore. If a library's host blocks the signal, nothing catches it, and the log says so.
//
// Where the import does not record, it catches no signal. SIGUSR2 then does what it does without the import: Go's own threads
// ignore it, but it ends the process if a thread of C takes it, or if the program is not Go's and only has a library of Go.
//
// Libraries should not import this package; the main package decides.
package auto

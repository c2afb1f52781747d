//go:build linux && cgo

// Command stress is a storm in one process: threads of C and goroutines allocate through C, callbacks into Go and signal
// handlers, free and move each other's blocks, while libraries come and go, children are forked and spawned, the CPU is
// profiled at 1000 Hz, the execution is traced, recordings start and stop, and profiles are written.
//
// The truth is kept by those who allocate, per call site. A site is one way to allocate, come to through one entrance, with
// block sizes of its own. It counts objects and bytes before each call to the allocator and again after it. So of any
// moment between two readings of the counters it is known between which two numbers a profile must lie:
//
//	allocated, before  ≤  in the profile  ≤  begun, after
//
// Where nothing is under way, the two are one number. The storm comes in four kinds, one after the other. A round begins after
// Start and has ended when its last profile is taken, which must be exact; those that are written meanwhile must lie
// between. Of recordings under way, the workers know nothing: all profiles must lie between. When tables are full, what is
// recorded and what is lost must be what was allocated. When the interval is changed again and again, estimates must be as
// near to the truth as chance has them.
//
// Wrong is a profile that package check finds fault with, a number that does not lie between, a sample that begins at a site
// and has another stack or another size than the site's blocks have. A stack that ends early and says so is not wrong but
// cut; only in libraries that have just been opened may stacks be cut. Lost is what the profiler's own counters say, and
// must be nothing where there was room.
//
// It prints a table with a line for each site, and exits with 1 if anything is wrong or lost. -time says for how long.
//
// While the storm goes on, pages beside stacks are mapped, protected and unmapped, and code without unwind data has their
// addresses in the frame pointer register: see page.c. A walk that loads from such a page may crash the process.
//
// Other kinds of pressure have flags of their own: -full, all the time in one recording whose tables are full; -pages, only
// beside pages that come and go; -pairs, very many pairs of malloc and free in one recording, and -recordings, very many
// recordings under load. None may leave a trace in memory, files, threads or estimates.
package main

// Command stress is a storm in one process: threads of C and goroutines allocate through C, callbacks into Go and signal
// handlers, free and move each other's blocks, while libraries come and go, children are forked and spawned, the CPU is
// profiled at 1000 Hz, the execution is traced, recordings start and stop, and profiles are written.
//
// The allocating threads keep the truth, per call site. A site is one way to allocate, reached through one entrance, with
// block sizes of its own. It counts objects and bytes before each call to the allocator and again after it. So for any
// moment between two readings of the counters, two numbers are known between which a profile must lie:
//
//	allocated, before  ≤  in the profile  ≤  begun, after
//
// If nothing is in progress, the two are one number. The storm comes in four kinds, one after the other. A round begins
// after Start and has ended when its last profile is taken, which must be exact; profiles that are written meanwhile must
// lie between. Recordings that start and stop amid the storm do not involve the workers: all profiles must lie between. When
// tables are full, recorded plus lost must equal allocated. When the interval is changed again and again, estimates must be
// as near to the truth as chance predicts.
//
// The storm counts as wrong: a profile in which package check finds a fault, a number that does not lie between, and a
// sample that begins at a site and has another stack or another size than the site's blocks. A stack that ends early and is
// marked so is not wrong but cut; only in libraries that have just been opened may stacks be cut. Losses are counted by the
// profiler's own counters, and must be 0 if the tables had room.
//
// It prints a table with a line for each site, and exits with 1 if anything is wrong or lost. -time sets the duration; each
// kind runs once in any case.
//
// While the storm goes on, pages beside stacks are mapped, protected and unmapped, and code without unwind data has their
// addresses in the frame pointer register: see page.c. A walk that loads from such a page may crash the process.
//
// Other kinds of pressure have flags of their own: -full spends all the time in one recording whose tables are full; -pages
// runs only beside pages that come and go; -maps lets eight threads map, unmap, move and fork, and compares with the kernel's list
// page by page whenever they rest; -pairs runs very many pairs of malloc and free in one recording, and -recordings
// very many recordings under load; -twins has very many copies of the process look for lost blocks, amid all of it. None may leave a trace in memory, files, threads or estimates.
package main

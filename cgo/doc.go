// Package cgo serves cgoheap alone: it may change in any release, and promises nothing to other modules.
//
// It contains everything that runs inside malloc, in C, and the only Go files that call this C.
//
// The C files define the malloc family for the whole process. One allocation passes through them in this order:
//
//	hooks.c    the functions that the program calls; each ends with a jump to the real one unless the block is sampled;
//	           family.h is the one list of them, hooks_family.h makes hooks of it for a family of any names
//	real*.c    the real allocator: libc's, or one that the program was given; how it is found, in each way to link, and
//	           where other objects contain cgoheap too
//	operators* C++'s new and delete, with the build tag cgoheap_operators; real_operators.c finds what they stand before
//	weight.c   when to sample, and what one sample stands for
//	record.c   the seam: remembers a sampled block, forgets it before it is freed
//	walk*.c    registers → call sites: C by rows (rows.c), Go by frame pointer, across the calls between them;
//	           memory.c loads only words that nobody can unmap, and copies others; bounds.c finds libc's bounds of
//	           a thread's stack; what differs between amd64 and arm64 is in machine*.h and walk_go.h
//	scratch.c  what a hook needs and would take too much of the program's stack, for each slot of the gate: a walk, its frames, and
//	           a stack for what is rare and deep (room.c); slots.c maps it, and lets it be written as slots are first taken
//	loads.c    whether libraries have been loaded since their rows were made
//	objects.c  libraries that a walk meets before they have rows; cfi*.c finds rules in memory, which image.c reads
//	last.c     the frames of the thread's previous walk that are still valid; a walk does without it
//	stacks.c   same stack, same number
//	sites.c    a stack and a block size, with its weights (site.h), in sums that a reader cuts at a moment (tally.c)
//	live.c     address → site and weight (block.h)
//	filter.c   which frees need not look there
//	gate*      recorders come and go; a reader cuts time in two without stopping them
//	region.c   the one mapping that all of it lies in; layout.c lays it out; with pages.c, unused parts take no memory
//	box.c      a region in a file, whose pages may be missing; shield.c has a hook land where it began if one is
//	ending.c   which signals came that may end a process which leaves such a file; action.h reads what a signal did before
//	waker.c    what a thread of Go's waits for until C asks for Go code, because hooks may not; catch.c asks when a signal arrives
//	control.c  what Go may call
//
// The other C files:
//
//	lookup.c   the rule for an address, cached
//	cgoheap.c  blocks of pools and devices, which the program reports by cgoheap.h
//	brought*   hooks for allocators that libraries bring along under names with a prefix; brought.h makes
//	           hooks of the lists in family_brought.h
//	hooks_device.c  hooks of CUDA's driver and of dlsym, which allocators/cuda leads programs to; device_calls.h is the list of them,
//	           real_driver.c finds the drivers; device.c is their seam, device_books.c what ends with a context, and who holds memory
//	fallback.c  malloc's family where there is no real allocator, on blocks*.c, which take memory from the kernel
//	allocators.c  finds functions of the real allocator, and of those that libraries bring along
//	hooks_mapped*.c  hooks of calls that map memory; mapped_calls.h is the list of them, record_mapped.c their seam;
//	           signals.h keeps handlers away meanwhile
//	mapped.c   which call mapped what: events (mapped_event.h) in a queue (mapped_queue.c), what each changes (mapped_apply.c), and a tree of
//	           ranges (mapped_tree.c), in the region (mapped_table.h); page_set.c is a set of pages without a lock: what Go's
//	           runtime maps, and what lost events concern
//	labels.c   the labels of goroutines and threads, as interned sets
//	lifetimes.c  how long freed blocks lived, in classes
//	peak.c     the moment when most was in use; credit.c keeps recorders off the one word that this takes
//	images.c   the files that the loader has loaded, as their unwind data, segments.c as their segments; headers.h reads them;
//	           threadlocal.c where their thread-local storage is
//	probe.c    known calls, on which Go tries the walk at each start
//	names.h    the names by which the linker knows our functions, so that no library has the same
//	trie.h     interned records, found by their hash (hash.h); thread.c what a thread keeps, clock.h the time of a block
//
// The Go files, of which those that call C are few, because each of them costs four runs of the compiler whenever the package is built:
//
//	recording.go   starts, stops and reads a recording, and reports blocks as cgoheap.h does
//	probe.go       tries the walk on known calls, and looks for the labels of goroutines; gocode.go says where Go code lies, the
//	               program's and plugins'
//	loader.go      what the loader has loaded, and the entries of an index of it
//	allocators.go  the real allocator and others, and what calls have mapped
//	signals.go     signals that ask for dumps, and those that end the process; waker.go is the thread that C wakes
//	whole.go       has a plugin link the package as a whole
//	wrap.go        the linker's flags for the build tag cgoheap_wrap, made from family.h
//	sources.go     the C files as text, of which package preload makes a library for programs that nobody rebuilt
//	unsupported.go  why a build cannot record, with sanitized.go and unsanitized.go
//	testonly.go    what tests alone call, and the layout of the region's structures, for package layout
//
// The tests of the C lie in testdata/ctest: programs in C without Go, which `make ctest` builds and runs, with sanitizers too,
// and most of which TestTheTestsOfC runs. What needs Go as well is tested in package alloc, on C that internal/victim contains.
//
// All of it follows the rules of a guest. It never calls Go, never waits for a lock, allocates only from the region, keeps
// errno, and fails open: what cannot be recorded is counted, under a name and with a sentence (counters.h), and the program
// goes on. A block is remembered after the real malloc and forgotten before the real free. When no recording runs, a hook
// is a load, a branch and a jump.
//
// Go prepares rows for unwinding, the index of modules and the layout of the Go runtime, outside malloc, and publishes them by
// storing one offset. The gate waits for readers of the old index before its memory is reused.
//
// Includes, calls and variables go one way: no file needs itself through others (layers_test.go). So what the hooks need asks the kernel
// for memory, not mmap, which is a hook.
//
// All C lies in this one folder because a change of a header in another folder would not rebuild the package.
package cgo

// Package cgo is everything that runs inside malloc, in C, and the only Go files that talk to it.
//
// The C files define the malloc family for the whole process. One allocation passes through them in this order:
//
//	hooks.c    the functions that the program calls; each ends with a jump to the real one unless the block is sampled
//	real*.c    the real allocator: libc's, or one that the program was given; how it is found, in each way to link, and
//	           where other objects contain cgoheap too
//	operators* C++'s new and delete, with the build tag cgoheap_operators
//	weight.c   when to sample, and what one sample stands for
//	record.c   the seam: remembers a sampled block, forgets it before it is freed
//	walk*.c    registers → call sites: C by rows (rows.c), Go by frame pointer, across the calls between them;
//	           memory.c loads only words that nobody can unmap, and copies others; bounds.c knows where libc has a
//	           thread's stack; what differs between amd64 and arm64 is in machine.h and walk_go.h
//	loads.c    whether libraries have been loaded since their rows were made
//	objects.c  libraries that a walk meets before they have rows; cfi*.c finds rules in memory, which image.c reads
//	last.c     what the thread's last walk found, as far as it still is so
//	stacks.c   same stack, same number
//	sites.c    a stack and a block size, with its weights
//	live.c     address → site and weight
//	filter.c   which frees need not look there
//	gate.c     recorders come and go; a reader cuts time in two without stopping them
//	region.c   the one mapping that all of it lies in; pages.c has it take no memory that it does not use
//	waker.c    how C asks for Go code where it may not call it: a thread that waits; catch.c is a signal's way there
//	control.c  what Go may call
//
// The rules of a guest hold for all of it. It never calls Go, takes no lock, allocates only from the region, keeps errno,
// and fails open: what cannot be recorded is counted, under a name and with a sentence (counters.h), and the program
// goes on. A block is remembered after the real malloc and forgotten before the real free. When no recording runs, a hook
// is a load, a branch and a jump.
//
// Rows for unwinding, the index of modules and the layout of the Go runtime are prepared by Go, outside malloc, and
// published by storing one offset; readers that still use the old index are waited for at the gate before it is reused.
//
// All C lies in this one folder because a change of a header in another folder would not rebuild the package.
package cgo

// Package preload makes libcgoheap.so: the profiler without Go, for a program that nobody rebuilt.
//
//	cgo/*.c, *.c ─► the C compiler of this machine ─► libcgoheap-….so in the user's cache ─► LD_PRELOAD
//	                                                                                              │
//	the program starts ─► start.c: a box, the loaded files, record ◄──────────────────────────────┘
//
// The C of package cgo is the same as in a recording that is linked in; it travels in the command (cgo.Sources). What Go does for that is C
// here: start.c begins, by what settings.c reads from the one variable that the command sets; refused.c says why nothing can be recorded;
// file.c makes the box, which package blackbox opens, and segment.c attaches the memory that takes its place where each allocation is
// recorded; modules.c has the files that the loader loaded, about.c describes the process, settler.c is the thread that settles the tables each
// second if that is asked for, alone.c hides it from calls that need a process with one, and operators_memory.c is for operator new. There are
// no rows: walks find rules in memory.
//
// The library is the first to be initialised (-z initfirst), so that it records what other libraries allocate before main. It reads
// nothing in a set-user-ID program, does nothing in another PID namespace than the command's, where process numbers mean others, and says
// nothing unless it cannot record.
//
// A library with the hooks of CUDA's driver is another one (Target.Devices): it defines dlsym, too.
//
// What needs Go inside is absent: Go's own heap, goroutine labels, what points to a block, the flight recorder.
package preload

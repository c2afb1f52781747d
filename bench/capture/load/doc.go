// Command load does the work that capture measures, and prints the nanoseconds per pair of malloc and free that each
// segment took: of the clock on the wall, and of the processor. The slowest thread counts.
//
// It is built in four ways: with cgoheap and, tagged `without`, without; with C that keeps no frame pointers, which is
// how C is mostly built, and, tagged `framed`, with C that does. alone/main.c does the same work in a program of C.
package main

// Command load does the work that capture measures, and prints nanoseconds, a line for each segment of the work: by the wall
// clock, and of processor time. The slowest thread counts.
//
//	pairs.c     pairs of malloc and free, below levels.c and along routes.c: the usual work
//	large.c     large blocks and aligned ones
//	walks.c     walks of a stack, ours and others
//	hold.c      blocks that stay, for memory.go, which prints bytes
//	delays.c    how long single calls take while delays.go writes profiles
//
// It is built in four ways: with cgoheap and, tagged `without`, without; with C that keeps no frame pointers, which is
// how C is mostly built, and, tagged `framed`, with C that does. alone/main.c does the pairs in a program of C.
package main

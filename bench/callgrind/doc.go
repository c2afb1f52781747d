// Package callgrind counts the instructions of the hot paths of package cgo's C, so that a path that has become slower is
// noticed without a clock, on any machine, however busy.
//
// testdata/hot.c is a program made of this C, without Go, in front of an allocator of a few instructions. valgrind's
// callgrind runs each of its paths for a few iterations and for many, and the difference shows what one iteration takes, to
// the instruction. The test compares it with testdata/counts.txt. It fails if a path takes more than two hundredths and one
// instruction more, and logs a path that takes less by as much:
//
//	go test ./callgrind -update    # in bench/; writes what is counted now
//
// The C is no part of this module, so go test's cache does not notice that it changed: -count=1, as make test has it.
//
// Counts depend on the compiler, the C library and valgrind, whose versions the file names. With other versions the test is
// skipped.
//
// Deliberately absent: caches, and the time that instructions take. Command capture measures those.
package callgrind

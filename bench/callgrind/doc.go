// Package callgrind counts the instructions of capture's hot paths, so that one that has become slower is noticed without
// a clock, on a machine however busy.
//
// testdata/hot.c is a program of the C of room cgo, without Go, in front of an allocator of a few instructions. valgrind's
// callgrind runs each of its paths for some iterations and for more, and the difference is what one iteration takes, to
// the instruction. The test compares it with testdata/counts.txt. It fails where a path takes more than two hundredths
// and one instruction more, and says where one takes less by as much:
//
//	go test ./callgrind -update    # in bench/; writes what is counted now
//
// The C is no part of this module, so go test's cache does not notice that it changed: -count=1, as make test has it.
//
// Counts are those of one compiler, C library and valgrind, which the file names. Elsewhere the test is skipped.
//
// What is deliberately absent: caches, and what instructions cost. That is for capture to measure.
package callgrind

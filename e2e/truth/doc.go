// Package truth holds the amounts that a program allocates on purpose, and compares profiles with them.
//
// A site is a call, a callback or a thread through which the program allocates. It has a stack of its own, and
// often a block size of its own. The program keeps the amounts of each site. A profile's samples are added up by site. The
// sums must be the program's amounts, or lie between two of them if work was in progress, and the profiler's counters must
// report that nothing is missing.
//
// The programs core, exact, plugged and stress work in this way. Core and plugged judge themselves by block sizes, because C
// may have no names in their builds. Exact writes a Report, and the tests of e2e judge it. Stress judges itself while it runs.
package truth

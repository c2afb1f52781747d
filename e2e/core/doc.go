//go:build linux && cgo

// Command core is the least that must hold wherever the profiler runs: it records everything that it allocates itself,
// in each way and through each entrance, and holds the profile against what it knows. Each pair of way and entrance is a
// call site with a block size of its own, so that the sites can be told apart even where C has no names.
//
// It judges itself, because some of its hosts have no file system to leave anything in: it prints what is wrong and exits
// with 1, exits with 3 and the reason if Start refuses, and with 0 if all is exact. The tag cxx adds operator new, which
// needs a C++ compiler. Built as a library, core_run is its entry.
//
// Arguments say what this build or host cannot have: "unnamed", no names in C; "blindlibc", a libc without unwind data, so
// that stacks through its functions end there; "blindnew", an operator new that goes past malloc, and "othernew", one that
// only others call. "undumpable" makes the process so, before it starts to record; "greedy" asks for tables of 4 GiB.
package main

// Command core checks the least that must hold wherever the profiler runs: it records everything that it allocates itself,
// in each way and through each entrance, and compares the profile with the amounts that it knows. Each pair of way and
// entrance is a call site with a block size of its own, so that the sites can be distinguished even if C has no names.
//
// It judges itself, because some of its hosts have no file system to leave anything in: it prints what is wrong and exits
// with 1, exits with 3 and the reason if Start refuses, and with 0 if all is exact. The tag cxx adds operator new, which
// needs a C++ compiler. Built as a library, core_run is its entry.
//
// Arguments describe limits of this build or host: "unnamed", no names in C; "blindlibc", a libc without unwind data, so that
// stacks through its functions end there; "blindstrdup", a strdup that bypasses malloc; "blindnew", an operator new that does, and
// "othernew", one that only libraries call. "undumpable" makes the process undumpable before it starts to record; "greedy" asks for tables of 4 GiB.
// "works" is for builds in which Start refuses: the program then allocates all the same, 100 MiB on four threads too, and exits with 1
// if memory is refused or does not keep its content.
//
// After that, it maps memory by each call that can, and compares what a recording knows of it: ranges to the byte, with stacks into Go,
// and nothing of them once they are unmapped. An argument with the name of such a call is for hosts where the call fails.
//
// The tags mimalloc, tcmalloc and jemalloc add the functions of an allocator under names of its own; with several, some of
// mimalloc's call each other through the linker. With the argument "brought", the program checks that what this allocator maps
// is not counted beside its blocks. The tags ownfree and ownmunmap add one function that has a hook.
package main

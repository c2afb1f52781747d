// Command names measures how long it takes to name the addresses of a first and of a second profile, and in how much
// memory, next to binutils' addr2line, llvm-symbolizer and google/pprof:
//
//	go run ./names            # in bench/; the first time it compiles a C++ program for some minutes
//
// All are asked for the same addresses of the same file: inlined calls, demangled, file and line. They lie in the bodies
// of functions, spread evenly over all of them, which is the hardest case: the addresses of a real profile lie in fewer
// units. Each run is a process of its own, started and measured by the same code, from the start to the exit, and its peak
// memory is the kernel's figure for it and for the processes that it ran. The contenders take turns, so that other work on
// the machine affects all of them. The table has medians, and in brackets minima.
//
// The programs: a Go service with SQLite and a C++ library in it (examples/leaky), the C library with its separate debug
// file (Debian: libc6-dbg), and a C++ program with more than 100 MB of debug data, which consists of copies of
// testdata/unit.cc in namespaces of their own. The programs stay in the folder build.
package main

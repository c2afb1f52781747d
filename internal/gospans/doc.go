// Package gospans finds out where the Go runtime of this process keeps its heap and its goroutines, so that a copy of the
// process can read both without asking the runtime.
//
//	mheap_.arenas ─► table ─► arena ─► span of each page ─► objects that are allocated   span_linux.go
//	                                       └─► records of finalizers and cleanups           specials_linux.go
//	mheap_.heapArenas ─► numbers of the arenas                                                arenas_linux.go
//	allgs ─► g: bounds of the stack, saved stack pointer, status, entry function           goroutines_linux.go
//
// None of that is documented, and stripped programs have no symbols for it. So nothing is taken on trust:
//
//   - The runtime's variables are searched in its data, which runtime.MemProfileRate lies in, and must prove themselves. The
//     table of arenas must lead to the span of an object that was just allocated. The list of goroutines must contain
//     goroutines that were just begun, known by the addresses of their variables, each in a stack of its own. Where something else looks
//     like it, the search goes on.
//   - A span must have the addresses and sizes that objects of several kinds have. What it says is free must predict where the
//     next objects are allocated.
//   - The list of processors has the one whose timers a timer that was just begun points into.
//   - The records of finalizers are where one is that was just set, and a cleanup's kind is what objects with one have. If they are not
//     found, only they are unknown.
//   - The fields of a g are not assumed to lie anywhere. Goroutines that wait on a channel, wait in a system call and have
//     ended are begun on purpose, and a field is where each of them has the value that it must have.
//
// If one of these checks fails, the layout is unknown, with the reason. Memory is copied by the kernel, which returns an error
// where a load would fault. It holds for Go 1.25 to 1.27, on which the tests run, and for later releases as long as the checks
// succeed.
//
// Deliberately absent: a version table, symbols, and any read of what a goroutine or an object contains. C's side of this is
// go.h in package twin.
package gospans

// Package scratch lends memory outside of Go's heap, for work that needs megabytes for a moment: the unwind data of a
// large library, the unpacked debug sections of a program.
//
// In Go's heap such work leaves garbage that stays resident until the next collection, and raises the size at which that
// happens. A profile is often taken when memory is nearly used up. So the large pieces of that work are mapped from the
// kernel and unmapped as soon as possible:
//
//	Memory ─► Bytes, Slice, Grow   at least 16 KiB: mapped; less: from Go's heap
//	       ─► Drop                 its pages go back to the kernel, the addresses stay
//	       └► Release, Free        one piece, all pieces: unmapped
//
// The invariant: nothing that outlives the work points into scratch memory. Strings are copied out of it. A use after Free
// faults, which no test would miss. Pointers in scratch memory do not keep objects in Go's heap alive, because the garbage
// collector does not look there. So values with pointers are never put there (memory.go).
//
// And it keeps the garbage of a profile from staying resident in a small Go heap (garbage.go).
//
// Where the kernel maps nothing (a limit on address space, another system), and for a nil Memory, all pieces come from
// Go's heap. Deliberately absent: any reuse. The kernel clears pages about as fast as a program would.
package scratch

// How Go calls C and is called by it, for each machine:
//
//	bool saved_call(struct walk *w, struct saved_call *call)
//		Reads what asmcgocall saved. Called at the return from C into it; false if that cannot be read.
//	uintptr_t record_below(uintptr_t sp)
//		The address of a Go function's frame record, given its SP.
//	uintptr_t caller_record(uintptr_t fp, uintptr_t saved)
//		The address of the caller's record, given the address of a function's own and what it saved there.
//	SP_ABOVE_RECORD
//		Whether the SP of a Go function's caller lies just above the function's record.
//	bool leave_crosscall2(struct walk *w)
//		At a return into crosscall2, goes one frame up, to the C code that called it.
#ifndef CGOHEAP_WALK_GO_H
#define CGOHEAP_WALK_GO_H

#include "walk.h"

// The words that asmcgocall saves: g, and its SP as the distance from the end of g's stack. Without a goroutine g is 0 and depth the
// SP itself.
struct saved_call {
	uintptr_t depth, g;
};

#if defined(__x86_64__)
#include "walk_go_amd64.h"
#elif defined(__aarch64__)
#include "walk_go_arm64.h"
#endif

#endif

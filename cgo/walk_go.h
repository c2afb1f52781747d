// How Go calls C and is called by it, as each machine has it:
//
//	bool saved_call(struct walk *w, struct saved_call *call)
//		Reads what asmcgocall saved. At the return from C into it; false if that cannot be read.
//	uintptr_t record_below(uintptr_t sp)
//		Where the frame record of a Go function is, by its SP.
//	uintptr_t caller_record(uintptr_t fp, uintptr_t saved)
//		Where the caller's record is, by where a function's own is and what it saved there.
//	SP_ABOVE_RECORD
//		Whether the SP of a Go function's caller lies just above the function's record.
//	bool leave_crosscall2(struct walk *w)
//		At a return into crosscall2, one frame up by record: on to the C code that called it.
#ifndef CGOHEAP_WALK_GO_H
#define CGOHEAP_WALK_GO_H

#include "walk.h"

// What asmcgocall saves: g, and its SP as the distance from the end of g's stack. Without a goroutine g is 0 and depth the
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

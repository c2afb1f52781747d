// walk_go.h for arm64.
//
// asmcgocall, at the SP of the call into C:
//
//	sp → g
//	     depth
//
// Frame records lie just below the SP of their function: {caller's R29, return address} at SP − 8. Source:
// runtime/asm_arm64.s.
static inline bool saved_call(struct walk *w, struct saved_call *call)
{
	return memory_load(&w->memory, w->at.sp, &call->g) && memory_load(&w->memory, w->at.sp + 8, &call->depth);
}

#define SP_ABOVE_RECORD false

static inline uintptr_t record_below(uintptr_t sp)
{
	return sp - 8;
}

// Without a goroutine, asmcgocall stays on the stack it is on, and the depth that it saves, its SP, overwrites the R29
// that it has saved. Its frame has 16 bytes, so its caller's record lies 16 above its own. No R29 looks like that SP:
// records lie 8 beside multiples of 16.
static inline uintptr_t caller_record(uintptr_t fp, uintptr_t saved)
{
	return saved == fp + 8 ? fp + 16 : saved;
}

// crosscall2 has no record. It stores C's registers in a frame of 24 words, x29 and x30 as the last two, and calls
// cgocallback, whose own frame has 48 bytes, with its record just below. The R29 in that record is C's too, but the next
// call to C from the goroutine overwrites it. Source: runtime/cgo/asm_arm64.s, and cgocallback in runtime/asm_arm64.s.
#define CGOCALLBACK_FRAME 48
#define CROSSCALL2_FRAME (24 * 8)

static inline bool leave_crosscall2(struct walk *w)
{
	uintptr_t sp = w->at.sp - 8 + CGOCALLBACK_FRAME, fp, pc;
	uintptr_t end = sp + CROSSCALL2_FRAME;
	if (!memory_load(&w->memory, end - 16, &fp) || !memory_load(&w->memory, end - 8, &pc))
		return false;
	w->at = (struct registers){unsigned_address(pc), end, fp};
	return true;
}

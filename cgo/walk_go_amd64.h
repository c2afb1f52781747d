// walk_go.h for amd64.
//
// asmcgocall, above the return address of the call into C:
//
//	sp → depth
//	     g
//
// Its frame record lies at its SP. Where the call goes through runtime.asmcgocall_landingpad, that jumps on and leaves no
// frame. Source: runtime/asm_amd64.s.
static inline bool saved_call(struct walk *w, struct saved_call *call)
{
	return memory_load(&w->memory, w->at.sp, &call->depth) && memory_load(&w->memory, w->at.sp + 8, &call->g);
}

#define SP_ABOVE_RECORD true

static inline uintptr_t record_below(uintptr_t sp)
{
	return sp;
}

static inline uintptr_t caller_record(uintptr_t fp, uintptr_t saved)
{
	(void)fp;
	return saved;
}

// crosscall2's frame is double: the assembler pushes BP and crosscall2 saves it again just below, so the word above the
// lower record is the upper record, not a return address. Source: runtime/cgo/asm_amd64.s and abi_amd64.h.
static inline bool leave_crosscall2(struct walk *w)
{
	uintptr_t fp = w->at.fp, next, pc;
	if (!memory_load(&w->memory, fp, &next))
		return false;
	if (next == fp + 8)
		fp = next;
	if (!memory_load(&w->memory, fp, &next) || !memory_load(&w->memory, fp + 8, &pc))
		return false;
	w->at = (struct registers){pc, fp + 16, next};
	return true;
}

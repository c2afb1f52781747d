//go:build linux && arm64 && cgo && !asan && !msan

// Signal handlers return to code of the kernel's, in the vDSO or, under an emulator, on a page of its own. Where that
// has unwind data, it leads to the frame record that the kernel wrote below the saved registers, {x29, x30}, which
// identifies the caller of the code that the signal struck, not that code itself. So the kernel's code is recognised by
// its two instructions, as libgcc does it, and the registers are taken from where sp points then:
//
//	sp → struct siginfo, 128 bytes
//	     struct ucontext: flags, link, stack, mask, 176 bytes; then fault address, x0 … x30, sp, pc
//
// Source: Linux, arch/arm64/kernel/signal.c, and include/uapi/asm/{ucontext,sigcontext}.h.
#include "walk.h"

#define SAVED (128 + 176 + 8)
#define SAVED_REGISTER(n) (SAVED + 8 * (n)) // 31 is sp, 32 pc

static bool at_signal_return(struct memory *m, uintptr_t pc)
{
	uint32_t code[2];
	if (pc % 4 != 0 || !memory_copy(m, pc, code, sizeof code))
		return false;
	return code[0] == 0xd2801168 && code[1] == 0xd4000001; // mov x8, #139; svc #0
}

bool walk_signal(struct walk *w)
{
	struct registers at;
	uintptr_t lr, sp = w->at.sp;
	if (w->exact || !at_signal_return(&w->memory, w->at.pc))
		return false;
	if (!memory_load(&w->memory, sp + SAVED_REGISTER(29), &at.fp) ||
	    !memory_load(&w->memory, sp + SAVED_REGISTER(30), &lr) ||
	    !memory_load(&w->memory, sp + SAVED_REGISTER(31), &at.sp) ||
	    !memory_load(&w->memory, sp + SAVED_REGISTER(32), &at.pc))
		return false;
	w->at = at;
	w->fp_at = 0;
	w->fp_given = false;
	w->lr = unsigned_address(lr);
	w->exact = w->fp_known = true;
	return true;
}

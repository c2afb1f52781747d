// machine.h for arm64.

static inline long system_call(long number, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}

static inline long system_call6(long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;
	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return x0;
}

#define GO_ON_IN(context, function, argument)                                                                          \
	do {                                                                                                           \
		mcontext_t *m = &(context)->uc_mcontext;                                                               \
		m->regs[0] = (uintptr_t)(argument);                                                                    \
		m->pc = (uintptr_t)(function);                                                                         \
	} while (0)

static inline uintptr_t thread_pointer(void)
{
	uintptr_t control_block;
	__asm__("mrs %0, tpidr_el0" : "=r"(control_block));
	return control_block;
}

static inline void order_stores(void)
{
	__asm__ volatile("dmb ishst" ::: "memory");
}

// By exclusive load and store, which every arm64 has, and which never become a call of a lazily bound library function.
static inline bool swap_pair(uint64_t *at, uint64_t *seen, const uint64_t *next)
{
	uint64_t low, high;
	uint32_t failed;
	__asm__ volatile("1:	mov	%w[failed], #1\n"
			 "	ldaxp	%[low], %[high], %[at]\n"
			 "	cmp	%[low], %[seen0]\n"
			 "	ccmp	%[high], %[seen1], #0, eq\n"
			 "	b.ne	2f\n"
			 "	stlxp	%w[failed], %[next0], %[next1], %[at]\n"
			 "	cbnz	%w[failed], 1b\n"
			 "2:"
			 : [low] "=&r"(low), [high] "=&r"(high), [failed] "=&r"(failed), [at] "+Q"(*(uint64_t(*)[2])at)
			 : [seen0] "r"(seen[0]), [seen1] "r"(seen[1]), [next0] "r"(next[0]), [next1] "r"(next[1])
			 : "cc", "memory");
	seen[0] = low;
	seen[1] = high;
	return failed == 0;
}

// The frame pointer leads an unwinder back to the caller's stack.
static UNKNOWN_TO_CALLERS void call_on(void *end, void (*function)(void *), void *argument)
{
	register void *x0 __asm__("x0") = argument;
	__asm__ volatile("mov x19, sp\n"
			 "	mov sp, %[end]\n"
			 "	blr %[function]\n"
			 "	mov sp, x19"
			 : "+r"(x0)
			 : [end] "r"(end), [function] "r"(function)
			 : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17",
			   "x19", "x30", "cc", "memory");
}

// The function saves the caller's x29 where its own x29 points, somewhere inside its frame. Only the compiler knows how
// far that is below the frame's end. gcc's builtin for the end exists in clang too, but yields x29 itself there.
#ifdef __clang__
#define FRAME_END() __builtin_sponentry()
#else
#define FRAME_END() __builtin_dwarf_cfa()
#endif

#define CALLER_REGISTERS()                                                                                             \
	((struct registers){(uintptr_t)__builtin_return_address(0), (uintptr_t)FRAME_END(),                            \
			    *(uintptr_t *)__builtin_frame_address(0)})

#define VDSO_CLOCK "__kernel_clock_gettime"

// DWARF for the Arm 64-bit Architecture, section 4.1.
#define DWARF_FP 29
#define DWARF_SP 31
#define DWARF_PC 32
#define DWARF_RA_UNSPECIFIED RA_FROM_LR
#define DWARF_SIGNS 1

// xpaclri: strips the signature from x30; a nop on machines that do not sign.
static inline uintptr_t unsigned_address(uintptr_t address)
{
	register uintptr_t x30 __asm__("x30") = address;
	__asm__("hint #7" : "+r"(x30));
	return x30;
}

// bl, blr, and blr with a signed address.
#define LONGEST_CALL 4

static inline bool follows_call(uintptr_t pc)
{
	uint32_t code = ((const uint32_t *)pc)[-1];
	return pc % 4 == 0 && ((code & 0xfc000000) == 0x94000000 || (code & 0xfefff000) == 0xd63f0000);
}

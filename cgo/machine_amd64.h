// machine.h for amd64.

static inline long system_call(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	__asm__ volatile("syscall" : "+a"(number) : "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
	return number;
}

static inline long system_call6(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	__asm__ volatile("syscall"
			 : "+a"(number)
			 : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return number;
}

// Below the stack pointer lie 128 bytes that the interrupted function may use. A function begins 8 above a multiple of 16.
#define GO_ON_IN(context, function, argument)                                                                          \
	do {                                                                                                           \
		greg_t *r = (context)->uc_mcontext.gregs;                                                              \
		r[REG_RSP] = ((r[REG_RSP] - 128) & ~15LL) - 8;                                                         \
		r[REG_RDI] = (greg_t)(argument);                                                                       \
		r[REG_RIP] = (greg_t)(function);                                                                       \
	} while (0)

static inline uintptr_t thread_pointer(void)
{
	uintptr_t control_block;
	__asm__("mov %%fs:0, %0" : "=r"(control_block));
	return control_block;
}

// Stores are seen in their order.
static inline void order_stores(void)
{
	__asm__ volatile("" ::: "memory");
}

static inline bool swap_pair(uint64_t *at, uint64_t *seen, const uint64_t *next)
{
	bool swapped;
	__asm__ volatile("lock cmpxchg16b %1"
			 : "=@ccz"(swapped), "+m"(*(uint64_t(*)[2])at), "+a"(seen[0]), "+d"(seen[1])
			 : "b"(next[0]), "c"(next[1])
			 : "memory");
	return swapped;
}

// The frame pointer leads an unwinder back to the caller's stack.
static UNKNOWN_TO_CALLERS void call_on(void *end, void (*function)(void *), void *argument)
{
	__asm__ volatile("mov %%rsp, %%rbx\n"
			 "	mov %[end], %%rsp\n"
			 "	call *%[function]\n"
			 "	mov %%rbx, %%rsp"
			 : "+D"(argument)
			 : [end] "r"(end), [function] "r"(function)
			 : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "cc", "memory");
}

// The call pushed the return address, and the function then the caller's rbp, to where its own now points.
#define CALLER_REGISTERS()                                                                                             \
	({                                                                                                             \
		uintptr_t *frame = __builtin_frame_address(0);                                                         \
		(struct registers){frame[1], (uintptr_t)(frame + 2), frame[0]};                                        \
	})

#define VDSO_CLOCK "__vdso_clock_gettime"

// System V ABI, AMD64 supplement, figure 3.36.
#define DWARF_FP 6
#define DWARF_SP 7
#define DWARF_PC 16
#define DWARF_RA_UNSPECIFIED RA_UNKNOWN
#define DWARF_SIGNS 0

static inline uintptr_t unsigned_address(uintptr_t address)
{
	return address;
}

// call rel32, or call r/m64, whose operand has one to six bytes.
#define LONGEST_CALL 7

static inline bool follows_call(uintptr_t pc)
{
	const uint8_t *end = (const uint8_t *)pc;
	for (int size = 2; size <= LONGEST_CALL; size++)
		if (end[-size] == 0xff && (end[1 - size] & 0x38) == 0x10)
			return true;
	return end[-5] == 0xe8;
}

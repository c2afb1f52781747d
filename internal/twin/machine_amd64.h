// machine.h for amd64.

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

static inline void allow_loads(uint64_t capabilities)
{
	uint32_t leaf = 0, b, c = 0, d;
	(void)capabilities;
	__asm__("cpuid" : "+a"(leaf), "=b"(b), "+c"(c), "=d"(d));
	if (leaf < 7)
		return;
	leaf = 7;
	c = 0;
	__asm__("cpuid" : "+a"(leaf), "=b"(b), "+c"(c), "=d"(d));
	if ((c & 1 << 4) != 0) // OSPKE: then there is wrpkru
		__asm__ volatile(".byte 0x0f, 0x01, 0xef" : : "a"(0), "c"(0), "d"(0) : "memory");
}

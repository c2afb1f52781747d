// machine.h for arm64.

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

static inline void allow_loads(uint64_t capabilities)
{
	const long prctl = 167, set_tagged = 55, addresses_only = 1; // PR_SET_TAGGED_ADDR_CTRL, PR_TAGGED_ADDR_ENABLE
	system_call6(prctl, set_tagged, addresses_only, 0, 0, 0, 0); // EINVAL where the kernel has none
	if ((capabilities & 1ULL << 63) != 0) // HWCAP2_POE: POR_EL0 has four bits for each key
		__asm__ volatile("msr s3_3_c10_c2_4, %0\n\tisb" : : "r"(0x7777777777777777ULL) : "memory");
}

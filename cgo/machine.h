// The parts that C cannot express and that differ by machine: system calls, the thread pointer, a swap of two words,
// the registers of a caller, and what a walk must know of signals and signed return addresses. How Go calls C is in
// walk_go_amd64.h and walk_go_arm64.h. Besides these, a machine has a rule_*.go in internal/unwind, and is named in records of
// internal/layering's test of build lines; docs/changing.md has the rest.
//
//	long system_call(long number, long a, long b, long c, long d)
//		Calls the kernel directly: a library's function may be replaced, and sets errno. The
//		result, or −errno.
//	long system_call6(long number, long a, long b, long c, long d, long e, long f)
//		The same, for calls with up to six arguments.
//	uintptr_t thread_pointer(void)
//		An address in the thread control block.
//	bool swap_pair(uint64_t *at, uint64_t *seen, const uint64_t *next)
//		If the 16-aligned pair at equals seen, replaces it with next. If not, seen becomes its value, which may be
//		torn: it is only good for another try. Acquires and releases.
//	void order_stores(void)
//		Whoever sees a store after it sees those before it. A fence of C, which thread sanitizers do not know.
//	void call_on(void *end, void (*function)(void *), void *argument)
//		Calls a function on the stack that ends at a 16-aligned address.
//	CALLER_REGISTERS()
//		The state of the caller of the function that uses this, which must not be inlined.
//	GO_ON_IN(context, function, argument)
//		Changes the ucontext_t * of a signal so that the thread goes on in a function that does not return. Needs
//		_GNU_SOURCE and ucontext.h.
//	DWARF_FP, DWARF_SP, DWARF_PC, DWARF_RA_UNSPECIFIED, DWARF_SIGNS
//		The numbers of registers in unwind data, where the return address is if unwind data does not define it, and
//		whether return addresses may be signed. As rule_x86.go and rule_aarch64.go have it.
//	VDSO_CLOCK
//		The name of clock_gettime in the kernel's vDSO.
//	uintptr_t unsigned_address(uintptr_t address)
//		A return address without its signature.
//	bool follows_call(uintptr_t pc)
//		Whether a call instruction stands before pc. Looks at LONGEST_CALL bytes, which must be readable.
#ifndef CGOHEAP_MACHINE_H
#define CGOHEAP_MACHINE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

// A function of which a caller assumes only what holds of any: gcc otherwise keeps values in registers that its own code leaves alone
// (-fipa-ra), and call_on's code leaves them to what it calls.
#ifdef __clang__
#define UNKNOWN_TO_CALLERS __attribute__((noinline, unused))
#else
#define UNKNOWN_TO_CALLERS __attribute__((noipa, unused))
#endif

#if defined(__x86_64__)
#include "machine_amd64.h"
#elif defined(__aarch64__)
#include "machine_arm64.h"
#else
#error "cgoheap records on amd64 and arm64; build with CGO_ENABLED=0 elsewhere, where Start says that it cannot"
#endif

// What a system call returned, as libc's function returns it.
static inline long as_libc(long result)
{
	if (result >= 0 || result < -4095)
		return result;
	errno = (int)-result;
	return -1;
}

#endif

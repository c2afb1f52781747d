// The two halves of a hook: a fast half, which ends with a jump, and a slow half that it jumps to.
#ifndef CGOHEAP_HOOKS_H
#define CGOHEAP_HOOKS_H

#include "real.h"
#include "real_find.h"
#include "real_nested.h"
#include "record.h"

#define likely(x) __builtin_expect(!!(x), 1)
#if __has_attribute(noclone) // clang does not make such clones
#define SLOW_ONCE noclone, cold
#else
#define SLOW_ONCE cold
#endif
// Assembly may call malloc with a stack pointer that is 8 off. glibc's own bears that, and so did programs until they met us.
#ifdef __x86_64__
#define SLOW __attribute__((noinline, SLOW_ONCE, force_align_arg_pointer))
#else
#define SLOW __attribute__((noinline, SLOW_ONCE))
#endif

// An acquiring load, because free reads the region without entering the gate: a thread that sees the first recording
// must see the region's address.
#define GENERATION() __atomic_load_n(&cgoheap_generation, __ATOMIC_ACQUIRE)

// Ends a hook: with a jump to the real function if nothing is recorded or the block passes, otherwise with a jump to the
// slow half. The empty statement keeps the compiler from merging the two jumps to the real function, which would add a jump.
#define END_HOOK(passes, real, slow)                                                                                   \
	do {                                                                                                           \
		uint32_t generation = GENERATION();                                                                    \
		if (likely(generation == 0))                                                                           \
			return real;                                                                                   \
		if (likely(passes)) {                                                                                  \
			__asm__ volatile("");                                                                          \
			return real;                                                                                   \
		}                                                                                                      \
		return slow;                                                                                           \
	} while (0)

#define SKIPS(size) record_skips(generation, size)

// Finds the real allocator. Called by hooks_ready only.
void hooks_find(void);

// The hooks of calls that map memory, and what their names mean here.
extern const volatile struct linked cgoheap_linked_mapped[] __attribute__((visibility("hidden")));

// Finds where Go's runtime calls mmap and munmap; false if it was not found. Our constructor calls it before that runtime begins.
bool hooks_know_go(void);

// Slow halves call this first; afterwards they may call REAL.
static inline __attribute__((always_inline)) void hooks_ready(void)
{
	if (__builtin_expect(gate_unbuilt(__atomic_load_n(&cgoheap_generation, __ATOMIC_RELAXED)), 0))
		hooks_find();
}

// record_count_down for slow halves, which must find the real allocator first.
static inline uint64_t count_down(size_t size)
{
	hooks_ready();
	return record_count_down(size);
}

// Files that make hooks of a family elsewhere include hooks_family.h through this header.
#ifdef HOOKS_OF_FAMILY
#include "hooks_family.h"
#endif

#endif

// The recording's state of the calling thread. It lies in initial-exec TLS: access takes one load from the thread
// pointer, and the loader never allocates for it.
#ifndef CGOHEAP_THREAD_H
#define CGOHEAP_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The kind of the block that the program reports, as a text of its own. NULL while it reports none.
struct kind {
	const char *text;
	size_t size; // 0 for no kind
	uint32_t device; // the number of the device that it lies on, and one more; 0 for none
	uint8_t place; // where its blocks lie: enum site_device; record_reported finds it
};

// A place to jump to. libc's jmp_buf also has room for a set of signals; for arm64, clang has no other.
#if defined(__clang__) && defined(__aarch64__)
// With _FORTIFY_SOURCE glibc's longjmp ends the process if it leads to a higher stack, as it does from a signal stack.
#pragma push_macro("__USE_FORTIFY_LEVEL")
#undef __USE_FORTIFY_LEVEL
#define __USE_FORTIFY_LEVEL 0
#include <setjmp.h>
#pragma pop_macro("__USE_FORTIFY_LEVEL")
typedef jmp_buf landing;
#define LANDS(l) (_setjmp(l) != 0)
#define LAND(l) _longjmp(l, 1)
#else
typedef void *landing[5];
#define LANDS(l) (__builtin_setjmp(l) != 0)
#define LAND(l) __builtin_longjmp(l, 1)
#endif

// Where a hook that touches a region in a file lands if it cannot go on. See shield.h.
struct shield {
	landing landing;
	struct shield *outer; // of a hook that this one interrupted
	uint32_t inside;      // the slot of the gate that it has, and one more; 0 for none
	uint32_t before;      // how many slots the thread had
	bool blocked;         // the thread blocked SIGBUS
};

struct thread {
	uint64_t countdown;    // bytes until the next sample
	uint64_t sample_bytes; // the mean interval that countdown was drawn with
	uint64_t random;       // state of the generator
	uint32_t generation;   // the recording that the fields above belong to
	uint32_t number;       // the thread's number; its home is the slot number % GATE_HOMES
	uint32_t passed;       // how often it did not pause at the gate though asked to
	uintptr_t lo, top;     // first and last page of this thread's own stack that were found readable; 0 until the stack is found
	uintptr_t bottom;      // no page of that stack begins below it; above top if the stack was not found
	struct kind kind;      // of the block that is being recorded
	uint32_t in_driver;    // how many calls of a device's driver it is in
	uint32_t inside;       // how many slots of the gate it has, or is about to take; more than one if handlers interrupt hooks
	struct shield *shield; // NULL unless the region lies in a file, and the thread is at work there
};

// Whether the thread's own stack was found.
static inline bool thread_is_bounded(const struct thread *t)
{
	return t->bottom <= t->top;
}

__attribute__((visibility("hidden"))) extern __thread struct thread cgoheap_thread __attribute__((tls_model("initial-exec")));

#endif

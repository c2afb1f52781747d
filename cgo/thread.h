// What the shim knows of the calling thread. It lies in initial-exec TLS: one load from the thread pointer, never an
// allocation by the loader.
#ifndef CGOHEAP_THREAD_H
#define CGOHEAP_THREAD_H

#include <stdint.h>

struct thread {
	uint64_t countdown;    // bytes until the next sample
	uint64_t sample_bytes; // the mean gap that countdown was drawn with
	uint64_t random;       // state of the generator
	uint32_t generation;   // the recording that the above belongs to
	uint32_t slot;         // the thread's number; the gate's place that it tries first
	uint32_t passed;       // times that it did not pause at the gate though it was asked to
	uintptr_t lo, top;     // first and last page of this thread's own stack, as far as it was found readable; 0 until it is found
	uintptr_t bottom;      // no page of that stack begins below
};

__attribute__((visibility("hidden"))) extern __thread struct thread cgoheap_thread __attribute__((tls_model("initial-exec")));

#endif

#ifndef CGOHEAP_VICTIM_WALK_H
#define CGOHEAP_VICTIM_WALK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { VICTIM_DEEPEST = 256 };

/* One stack as two walkers saw it: call sites above victim_walk_both, leaf first. */
struct victim_walks {
	size_t calls; /* of victim_walk_both since victim_walks_forget */
	size_t ours_depth, theirs_depth;
	uintptr_t ours[VICTIM_DEEPEST], theirs[VICTIM_DEEPEST];
};

/* Walks from here with cgoheap_walk and with _Unwind_Backtrace, and keeps the stacks unless an earlier call kept two that
   differ in a frame that both have. One caller at a time. */
void victim_walk_both(void);
void victim_walks_forget(void);
const struct victim_walks *victim_walks_kept(void);

/* walk_libc.c, walk_cxx.cc: victim_walk_both from a function that a library calls back. */
void victim_walk_from_qsort(void);
void victim_walk_from_qsort_r(void);
void victim_walk_from_bsearch(void);
void victim_walk_from_tsearch(void);
void victim_walk_from_twalk(void);
void victim_walk_from_once(void);
void victim_walk_from_nftw(void);
void victim_walk_from_printf(void);
void victim_walk_from_thread(void);
void victim_walk_from_sort(void);
void victim_walk_from_for_each(void);
void victim_walk_from_function(void);
void victim_walk_from_ostream(void);
void victim_walk_from_regex(void);
void victim_walk_from_locale(void);
void victim_walk_from_cxx_thread(void);
void victim_walk_from_call_once(void);
void victim_walk_from_destructor_in_flight(void);

/* walk_signal.c: victim_walk_both from a signal handler. */
void victim_walk_from_raise(void);
void victim_walk_from_trap(void);
void victim_walk_from_steps(void); /* after each instruction, on machines that can */

#ifdef __cplusplus
}
#endif
#endif

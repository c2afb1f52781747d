/* Held by what belongs to a thread: its stack, its thread-local variables, its pthread_setspecific. */
#include <pthread.h>
#include <stdlib.h>

#include "trial.h"

enum { SIZE = 8000, MOST = 1 << 12 };

static APART void *lost_by_stack(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART void *kept_by_stack(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART void *lost_by_local(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART void *kept_by_local(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART void *kept_by_callers_local(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART void *lost_by_specific(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART void *kept_by_specific(void) { return COUNTED(malloc(SIZE), SIZE); }

static size_t number(void)
{
	size_t wanted = trial_number(SIZE);
	return wanted < MOST ? wanted : MOST;
}

static APART void fill(void *volatile *pointers, void *(*make)(void))
{
	for (size_t i = 0; i < number(); i++)
		pointers[i] = make();
}

static APART void return_from(void)
{
	void *volatile pointers[MOST];
	fill(pointers, lost_by_stack);
	trial_reads(pointers);
}

static void hold_on_stack(void)
{
	return_from();
	void *volatile pointers[MOST];
	fill(pointers, kept_by_stack);
	trial_rests();
	trial_reads(pointers);
}

void thread_stack(void)
{
	trial_thread(hold_on_stack);
	trial_held("kept_by_stack", "stack of thread");
}

static __thread void *volatile local_kept[MOST], *volatile local_lost[MOST];

static void hold_in_local(void)
{
	fill(local_lost, lost_by_local);
	for (size_t i = 0; i < MOST; i++)
		local_lost[i] = NULL;
	fill(local_kept, kept_by_local);
	trial_rests();
}

void thread_local_storage(void)
{
	trial_thread(hold_in_local);
	fill(local_kept, kept_by_callers_local);
	trial_held("kept_by_local", "local_kept");
	trial_held("kept_by_callers_local", "local_kept");
}

static pthread_key_t key;

/* A list, whose first block is the value of the key. */
static void chain(void *(*make)(void))
{
	void **first = NULL;
	for (size_t i = 0; i < number(); i++) {
		void **block = make();
		*block = first;
		first = block;
	}
	pthread_setspecific(key, first);
}

static void hold_as_specific(void)
{
	chain(lost_by_specific);
	chain(kept_by_specific);
	trial_rests();
}

void thread_specific(void)
{
	for (int i = 0; i < 40; i++) /* the first 32 lie in the thread's descriptor, later ones in a block of libc's */
		pthread_key_create(&key, NULL);
	trial_thread(hold_as_specific);
	trial_held("kept_by_specific", "thread|block allocated in");
}

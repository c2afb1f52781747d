#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "victim.h"

enum { STACK = 256 << 10, UNTOUCHED = 128 << 10, MARK = 0xa5 };

struct room {
	char *stack;
	size_t size, used;
};

/* Marks the stack below itself, allocates, and finds how far down the marks are gone. The function's own calls happen
   before that or after. */
VICTIM_SITE static void *victim_marks_stack(void *argument)
{
	struct room *room = argument;
	char *lowest = room->stack + UNTOUCHED / 2, *sp, *at;
	void *block = malloc(room->size); /* the thread's first prepares what later ones have */
	VICTIM_USE(block);
	free(block);
#if defined(__x86_64__)
	__asm__ volatile("mov %%rsp, %0" : "=r"(sp));
#elif defined(__aarch64__)
	__asm__ volatile("mov %0, sp" : "=r"(sp));
#endif
	for (at = lowest; at < sp - 128; at++) /* not by memset, which has a frame */
		*(volatile char *)at = (char)MARK;
	block = malloc(room->size);
	VICTIM_USE(block);
	for (at = lowest; at < sp && *(volatile char *)at == (char)MARK; at++)
		;
	room->used = (size_t)(sp - at);
	free(block);
	return NULL;
}

size_t victim_malloc_stack_use(size_t size)
{
	static char stack[STACK] __attribute__((aligned(4096))); /* one call at a time */
	struct room room = {.stack = stack, .size = size};
	pthread_attr_t attributes;
	pthread_t thread;
	pthread_attr_init(&attributes);
	if (pthread_attr_setstack(&attributes, stack, STACK) == 0 &&
	    pthread_create(&thread, &attributes, victim_marks_stack, &room) == 0)
		pthread_join(thread, NULL);
	pthread_attr_destroy(&attributes);
	return room.used;
}

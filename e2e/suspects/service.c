#include "service.h"

#include <stdlib.h>
#include <string.h>

enum { fifo_slots = 512, session_slots = 1 << 14 };

static char *fifo[fifo_slots];
static char *sessions[session_slots];
static unsigned at;

/* Keeps the last blocks, so that the bytes in use breathe with the size. */
__attribute__((noinline)) void cache_put(size_t size) {
	free(fifo[at % fifo_slots]);
	fifo[at++ % fifo_slots] = calloc(1, size);
}

/* A session lives until another takes its slot. */
__attribute__((noinline)) void session_open(unsigned slot, size_t size) {
	free(sessions[slot % session_slots]);
	sessions[slot % session_slots] = malloc(size);
}

/* Allocates and frees so many blocks. */
__attribute__((noinline)) void handle_request(size_t blocks, size_t size) {
	while (blocks-- > 0) {
		volatile char *block = malloc(size);
		if (block)
			block[0] = 1;
		free((void *)block);
	}
}

/* Nothing points to the block. */
__attribute__((noinline)) void format_user(size_t size) {
	char *volatile block = malloc(size);
	if (block)
		memset(block, 1, size);
	block = NULL;
}

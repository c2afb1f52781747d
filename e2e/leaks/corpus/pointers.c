/* Pointers that do not look like the address that malloc returned. */
#include <stdint.h>
#include <stdlib.h>

#include "trial.h"

enum { SIZE = 1000, MOST = 1 << 15 };

static volatile uintptr_t interiors[MOST], tagged_low[MOST], tagged_high[MOST], hidden[MOST], overwritten;
static volatile uint32_t compressed[MOST];

static APART void *lost_interior(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART void *kept_by_interior(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART void *lost_tagged(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART void *kept_by_low_bits(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART void *kept_by_high_bits(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART void *hidden_by_xor(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART void *hidden_in_32_bits(void) { return COUNTED(malloc(SIZE), SIZE); }

static size_t number(void)
{
	size_t wanted = trial_number(SIZE);
	return wanted < MOST ? wanted : MOST;
}

/* As intrusive lists and allocators with headers of their own hold their blocks; the last points to the last byte. */
void interior(void)
{
	for (size_t i = 0; i < number(); i++) {
		overwritten = (uintptr_t)lost_interior() + 8 + i % (SIZE - 8);
		interiors[i] = (uintptr_t)kept_by_interior() + (i == 0 ? SIZE - 1 : 8 + i % (SIZE - 8));
	}
	overwritten = 0;
	trial_held("kept_by_interior", "global interiors");
}

void tagged(void)
{
	for (size_t i = 0; i < number(); i++) {
		overwritten = (uintptr_t)lost_tagged() | 0xbeefull << 48;
		tagged_low[i] = (uintptr_t)kept_by_low_bits() | (1 + i % 7);
		tagged_high[i] = (uintptr_t)kept_by_high_bits() | (1 + i % 0xffff) << 48;
	}
	overwritten = 0;
	trial_held("kept_by_low_bits", "global tagged_low");
	trial_held("kept_by_high_bits", "global tagged_high");
}

void out_of_sight(void)
{
	for (size_t i = 0; i < number(); i++) {
		hidden[i] = ~(uintptr_t)hidden_by_xor();
		compressed[i] = (uint32_t)((uintptr_t)hidden_in_32_bits() >> 4);
	}
}

#include "gos.h"

#include <stdlib.h>

#include "trial.h"

#define DEFINED(name) APART void *name(void) { return COUNTED(malloc(GOS_SIZE), GOS_SIZE); }
GOS_BLOCKS(DEFINED)

static APART void **lost_beside_number(void) { return COUNTED(malloc(GOS_SIZE), GOS_SIZE); }

size_t inverse_of_list(void)
{
	void **first = NULL;
	for (size_t i = 0; i < trial_number(GOS_SIZE); i++) {
		void **block = lost_beside_number();
		*block = first;
		first = block;
	}
	return ~(size_t)first;
}

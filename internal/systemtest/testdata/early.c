/* A library whose constructor allocates 400 blocks of 100,000 bytes, touches them, and frees each fourth; and 20 of a million bytes, which
   are mapped one by one. */
#include <stdlib.h>
#include <string.h>

static void *blocks[400], *large[20];

__attribute__((constructor)) static void construct(void)
{
	for (int i = 0; i < 400; i++) {
		if ((blocks[i] = malloc(100000)) == NULL)
			abort();
		memset(blocks[i], 1, 100000);
	}
	for (int i = 0; i < 400; i += 4)
		free(blocks[i]);
	for (int i = 0; i < 20; i++) {
		if ((large[i] = malloc(1000000)) == NULL)
			abort();
		memset(large[i], 1, 1000000);
	}
}

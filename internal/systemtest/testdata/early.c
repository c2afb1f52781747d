/* A library whose constructor allocates 400 blocks of 100,000 bytes, touches them, and frees each fourth. */
#include <stdlib.h>
#include <string.h>

static void *blocks[400];

__attribute__((constructor)) static void construct(void)
{
	for (int i = 0; i < 400; i++) {
		if ((blocks[i] = malloc(100000)) == NULL)
			abort();
		memset(blocks[i], 1, 100000);
	}
	for (int i = 0; i < 400; i += 4)
		free(blocks[i]);
}

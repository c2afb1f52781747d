/* A library that allocates in an IFUNC resolver. early_user.c makes it do so before the program is relocated; what it
   allocated then is used and freed later. */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static char *grown, *zeroed, *aligned, *freed;

static void must(int true_)
{
	if (!true_)
		abort();
}

static int answer(void)
{
	return 42;
}

static int (*resolve(void))(void)
{
	grown = malloc(100);
	memset(grown, 7, 100);
	grown = realloc(grown, 200);
	zeroed = calloc(10, 10);
	freed = malloc(10);
	free(freed);
	must(posix_memalign((void **)&aligned, 256, 10) == 0);
	return answer;
}

int early_answer(void) __attribute__((ifunc("resolve")));

void early_use(void)
{
	must(early_answer() == 42 && grown[0] == 7 && grown[99] == 7 && zeroed[99] == 0 && (size_t)aligned % 256 == 0);
	must(malloc_usable_size(grown) >= 200);
	grown = realloc(grown, 100000);
	must(grown[0] == 7 && grown[99] == 7);
	grown[99999] = 7;
	zeroed = realloc(zeroed, 10);
	must(zeroed[9] == 0);
	free(grown);
	free(zeroed);
	free(aligned);
	must(realloc(malloc(10), 20) != NULL);
}

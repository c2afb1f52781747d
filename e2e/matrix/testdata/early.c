/* A library that allocates in an IFUNC resolver. early_user.c makes it do so before the program is relocated; what it
   allocated then is used and freed later. With OPERATORS, by C++'s new and delete too. With ANOTHER, the program
   has another allocator than glibc's. */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static char *grown, *zeroed, *aligned, *freed;

#ifdef OPERATORS
void *_Znwm(size_t size);
void *_ZnamSt11align_val_t(size_t size, size_t alignment);
void _ZdlPv(void *p);
void _ZdaPvSt11align_val_t(void *p, size_t alignment);

static void *one, *array;
#endif

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
#ifdef OPERATORS
	one = _Znwm(100);
	array = _ZnamSt11align_val_t(100, 256);
	must(one != NULL && (size_t)array % 256 == 0);
#endif
	return answer;
}

int early_answer(void) __attribute__((ifunc("resolve")));

void early_use(void)
{
	must(early_answer() == 42 && grown[0] == 7 && grown[99] == 7 && zeroed[99] == 0 && (size_t)aligned % 256 == 0);
#ifndef ANOTHER /* which does not know the block */
	must(malloc_usable_size(grown) >= 200);
#endif
	grown = realloc(grown, 100000);
	must(grown[0] == 7 && grown[99] == 7);
	grown[99999] = 7;
	zeroed = realloc(zeroed, 10);
	must(zeroed[9] == 0);
	free(grown);
	free(zeroed);
	free(aligned);
	must(realloc(malloc(10), 20) != NULL);
#ifdef OPERATORS
	_ZdlPv(one);
	_ZdaPvSt11align_val_t(array, 256);
	_ZdlPv(_Znwm(100));
#endif
}

// Two families at once: the program's and another under names of its own, hooked from one list. Each function of one
// counts and frees as its counterpart in the other does.
#include <errno.h>
#include <string.h>

#include "../../family.h"
#include "../../memory.h"
#include "family_other.h"
#include "paint.h"
#include "totals.h"

#define DECLARATION(does, result, name, parameters, trial) \
	result name parameters; \
	result OTHER_NAME(name) parameters;
FAMILY_REAL(DECLARATION)
FAMILY_MADE(DECLARATION)

#define POINTER(does, result, name, parameters, trial) result(*name) parameters;
#define OF_PROGRAM(does, result, name, parameters, trial) .name = name,
#define OF_OTHER(does, result, name, parameters, trial) .name = OTHER_NAME(name),

struct family {
	FAMILY_REAL(POINTER)
	FAMILY_MADE(POINTER)
};

static const struct family program = {FAMILY_REAL(OF_PROGRAM) FAMILY_MADE(OF_PROGRAM)};
static const struct family other = {FAMILY_REAL(OF_OTHER) FAMILY_MADE(OF_OTHER)};

static void every_function(const struct family *f)
{
	void *p[10];
	start(1);
	p[0] = f->malloc(10);
	p[1] = f->calloc(3, 7);
	p[2] = f->realloc(NULL, 5);
	p[3] = f->reallocarray(NULL, 6, 9);
	p[4] = f->memalign(64, 100);
	p[5] = f->aligned_alloc(32, 64);
	check(f->posix_memalign(&p[6], 128, 33) == 0);
	p[7] = f->valloc(12);
	p[8] = f->pvalloc(13);
	p[9] = f->malloc(0);
	expect(10, 299 + 4096, 10, 299 + 4096);
	for (int i = 0; i < 7; i++)
		f->free(p[i]);
	f->cfree(p[7]);
	f->free_sized(p[8], 4096);
	f->free_aligned_sized(p[9], 16, 0);
	f->free(NULL);
	expect(10, 299 + 4096, 0, 0);
	check(cgoheap_stop());
}

static void resizes(const struct family *f)
{
	start(1);
	char *p = f->malloc(100);
	memset(p, 7, 100);
	p = f->realloc(p, 3000);
	expect(2, 3100, 1, 3000);
	check(p[0] == 7 && p[99] == 7);
	errno = 0;
	check(f->realloc(p, SIZE_MAX / 2) == NULL && f->calloc(SIZE_MAX, 16) == NULL && errno == ENOMEM);
	expect(2, 3100, 1, 3000);
	f->free(p);
	expect(2, 3100, 0, 0);
	check(cgoheap_stop());
}

static const struct family *measured;
static void *block;

static void call_malloc(void) { block = measured->malloc(10); }
static void call_calloc(void) { block = measured->calloc(3, 7); }
static void call_realloc(void) { block = measured->realloc(block, 5000); }
static void call_reallocarray(void) { block = measured->reallocarray(block, 100, 100); }
static void call_memalign(void) { block = measured->memalign(64, 100); }
static void call_aligned_alloc(void) { block = measured->aligned_alloc(32, 64); }
static void call_posix_memalign(void) { check(measured->posix_memalign(&block, 128, 33) == 0); }
static void call_valloc(void) { block = measured->valloc(12); }
static void call_pvalloc(void) { block = measured->pvalloc(13); }
static void call_free(void) { measured->free(block); }
static void call_cfree(void) { measured->cfree(block); }

static void stack_of(const struct family *f)
{
	void (*const calls[])(void) = {
		call_malloc, call_realloc, call_reallocarray, call_free, call_calloc, call_cfree, call_memalign, call_free,
		call_aligned_alloc, call_free, call_posix_memalign, call_free, call_valloc, call_free, call_pvalloc, call_free,
	};
	measured = f;
	start(1);
	deepest = 0;
	for (size_t i = 0; i < 2 * sizeof calls / sizeof *calls; i++)
		measure("", calls[i % (sizeof calls / sizeof *calls)]);
	expect(18, 2 * (10 + 5000 + 10000 + 21 + 100 + 64 + 33 + 12 + 4096), 0, 0);
	check(deepest <= HOOK_STACK);
	check(cgoheap_stop());
}

static void both(void (*part)(const struct family *))
{
	part(&program);
	size_t before = other_taken_back;
	part(&other);
	check(other_taken_back > before);
}

static void each_function(void)
{
	both(every_function);
}

static void each_resize(void)
{
	both(resizes);
}

static void each_stack(void)
{
	both(stack_of);
}

static void side_by_side(void)
{
	start(1);
	void *p = malloc(100), *q = other.malloc(200);
	expect(2, 300, 2, 300);
	free(p);
	expect(2, 300, 1, 200);
	other.free(q);
	expect(2, 300, 0, 0);
	check(cgoheap_stop());
}

int main(void)
{
	run("every function of either family is counted once, with its size", each_function);
	run("realloc of either family is a free and an allocation, or nothing when it fails", each_resize);
	run("no function of either family takes more of the stack than a hook may", each_stack);
	run("blocks of both families count together", side_by_side);
}

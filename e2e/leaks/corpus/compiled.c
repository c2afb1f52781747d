/* Lists that grow under code that is made at run time and replaced now and then, at other addresses, as a JIT does: one suspect each. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trial.h"

enum { SIZE = 1000, REPLACED = 16, ROOM = 1 << 16 };

struct entry {
	struct entry *next;
	char text[SIZE - sizeof(void *)];
};

static struct entry *volatile list_kept, *volatile list_lost;

static APART struct entry *kept_under_compiled(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART struct entry *lost_under_compiled(void) { return COUNTED(malloc(SIZE), SIZE); }

static void push(void)
{
	struct entry *kept = kept_under_compiled(), *lost = lost_under_compiled();
	kept->next = list_kept;
	list_kept = kept;
	lost->next = list_lost;
	list_lost = lost;
}

/* A function with a frame, that calls its argument. */
#if defined(__x86_64__)
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
#else
static const unsigned code[] = {0xa9bf7bfd, 0x910003fd, 0xd63f0000, 0xa8c17bfd, 0xd65f03c0};
#endif

typedef void function(void (*)(void));

static function *compiled(size_t offset)
{
	char *memory = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		abort();
	memcpy(memory + offset, code, sizeof code);
	__builtin___clear_cache(memory + offset, memory + offset + sizeof code);
	if (mprotect(memory, ROOM, PROT_READ | PROT_EXEC) != 0)
		abort();
	function *made;
	*(void **)&made = memory + offset;
	return made;
}

/* The code before is still there when other code takes its place, as for those who are running it. */
void compiled_code(void)
{
	size_t number = trial_number(SIZE);
	for (size_t version = 0; version < REPLACED; version++) {
		function *run = compiled(64 * version);
		for (size_t i = 0; i < number / REPLACED; i++)
			run(push);
	}
	list_lost = NULL;
	trial_held("kept_under_compiled", "global list_kept|block allocated in kept_under_compiled");
	trial_told("kept_under_compiled", "^`kept_under_compiled` .* reachable from global `list_kept .*`");
	trial_told("lost_under_compiled", "^`lost_under_compiled` .* no pointer found to 100 %: lost, or its pointers are hidden$");
}

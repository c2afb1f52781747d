// Pages are zero again, whatever the kernel does with them.
#include <string.h>
#include <sys/mman.h>

#include "../../pages.h"
#include "check.h"

enum { SIZE = 4 << 20, USED = SIZE / 2 + 40 };

static void cleared(char *at)
{
	memset(at, 7, USED);
	pages_clear(at, SIZE, USED);
	for (int i = 0; i < SIZE; i++)
		check(at[i] == 0);
}

static void mapped(void)
{
	char *at = pages_map(SIZE);
	check(at != NULL);
	cleared(at);
	cleared(at);
	pages_clear(at, SIZE, 0);
	check(munmap(at, SIZE) == 0);
}

static void locked(void)
{
	char *at = pages_map(SIZE);
	if (mlock(at, SIZE) == 0)
		cleared(at);
	check(munmap(at, SIZE) == 0);
}

// The kernel keeps what is shared, and says that it took it back.
static void kept(void)
{
	char *at = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(at != MAP_FAILED);
	cleared(at);
	check(munmap(at, SIZE) == 0);
}

static void too_large(void)
{
	check(pages_map((size_t)1 << 60) == NULL);
}

int main(void)
{
	run("pages are cleared and used again", mapped);
	run("pages that are locked are cleared", locked);
	run("pages that the kernel does not take are cleared", kept);
	run("more than there is room for is refused", too_large);
}

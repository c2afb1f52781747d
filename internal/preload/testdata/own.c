// A program that has a malloc of its own, and exports it.
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static char memory[1 << 20];
static size_t used;

void *malloc(size_t size)
{
	size_t at = (used + 31) & ~(size_t)15;
	if (size > sizeof memory - 1024 - at)
		return NULL;
	memcpy(memory + at - sizeof size, &size, sizeof size);
	used = at + size;
	return memory + at;
}

void free(void *p) { (void)p; }

void *calloc(size_t count, size_t size)
{
	return malloc(count * size); // nothing is used twice
}

void *realloc(void *p, size_t size)
{
	size_t before = 0;
	void *to = malloc(size);
	if (p != NULL && to != NULL) {
		memcpy(&before, (char *)p - sizeof before, sizeof before);
		memcpy(to, p, before < size ? before : size);
	}
	return to;
}

int main(void)
{
	return write(1, "own\n", 4) == 4 && malloc(100) != NULL ? 9 : 1;
}

/* A library with enough code that pages in its middle hold nothing else. */
#include <stddef.h>

__attribute__((noinline)) int library_function(int x)
{
	__asm__ volatile(".skip 32768, 0x90");
	return x + 1;
}

size_t library_text(void) { return (size_t)library_function; }

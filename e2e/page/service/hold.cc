#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

struct script {};

// hold's name in a profile is hold<script>(unsigned long).
template <class T> __attribute__((noinline)) void *hold(unsigned long size) {
	void *block = std::malloc(size);
	__asm__ volatile("" : "+r"(block)); // or this would be a tail call
	return block;
}

extern "C" void *hold_script(unsigned long size) {
	void *block = hold<script>(size);
	__asm__ volatile("" : "+r"(block));
	return block;
}

// map_pool is memory that malloc does not know.
extern "C" void *map_pool(unsigned long size) {
	void *pool = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return pool == MAP_FAILED ? nullptr : std::memset(pool, 1, size);
}

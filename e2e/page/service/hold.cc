#include <cstdlib>

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

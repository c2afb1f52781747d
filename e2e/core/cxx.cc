//go:build cxx

#include <cstddef>
#include <string>

// The block is the text's, which code in libstdc++ allocates; the string itself is a small one beside it.
extern "C" __attribute__((noinline)) void *core_new(std::size_t size)
{
	void *p = new std::string(size - 1, 'x');
	__asm__ volatile("" : "+r"(p)::"memory");
	return p;
}

extern "C" void core_delete(void *p)
{
	delete static_cast<std::string *>(p);
}

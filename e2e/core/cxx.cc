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

// Where the program is not position-independent, an entry in it then stands for operator new.
extern "C" void *core_taken(void);
extern "C" void *core_taken(void)
{
	return reinterpret_cast<void *>(static_cast<void *(*)(std::size_t)>(operator new));
}

extern "C" void core_delete(void *p)
{
	delete static_cast<std::string *>(p);
}

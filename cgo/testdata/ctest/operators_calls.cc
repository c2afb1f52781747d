#include "operators.h"

#include <new>

using align = std::align_val_t;

#define PAIR(name, alignment, nothrow, make, drop)                                                                     \
	{name, alignment, nothrow, [](size_t size) -> void * { return make; },                                         \
	 [](void *p, size_t size) -> void { (void)size, drop; }}

extern "C" const struct pair pairs[PAIRS] = {
	PAIR("new", 1, 0, operator new(size), operator delete(p)),
	PAIR("new[]", 1, 0, operator new[](size), operator delete[](p)),
	PAIR("new, sized delete", 1, 0, operator new(size), operator delete(p, size)),
	PAIR("new[], sized delete", 1, 0, operator new[](size), operator delete[](p, size)),
	PAIR("new, nothrow", 1, 1, operator new(size, std::nothrow), operator delete(p, std::nothrow)),
	PAIR("new[], nothrow", 1, 1, operator new[](size, std::nothrow), operator delete[](p, std::nothrow)),
	PAIR("new, aligned", 256, 0, operator new(size, align(256)), operator delete(p, align(256))),
	PAIR("new[], aligned", 256, 0, operator new[](size, align(256)), operator delete[](p, align(256))),
	PAIR("new, aligned, sized delete", 256, 0, operator new(size, align(256)), operator delete(p, size, align(256))),
	PAIR("new[], aligned, sized delete", 256, 0, operator new[](size, align(256)), operator delete[](p, size, align(256))),
	PAIR("new, aligned, nothrow", 256, 1, operator new(size, align(256), std::nothrow),
	     operator delete(p, align(256), std::nothrow)),
	PAIR("new[], aligned, nothrow", 256, 1, operator new[](size, align(256), std::nothrow),
	     operator delete[](p, align(256), std::nothrow)),
};

int throws(const struct pair *pair, size_t size)
{
	try {
		return pair->make(size) != nullptr;
	} catch (const std::bad_alloc &) {
		return 1;
	}
}

static int calls;

static void handler()
{
	calls++;
	std::set_new_handler(nullptr);
}

int handled(const struct pair *pair, size_t size)
{
	calls = 0;
	std::set_new_handler(handler);
	throws(pair, size);
	std::set_new_handler(nullptr);
	return calls;
}

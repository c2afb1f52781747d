//go:build tcmalloc

// Functions that throw an exception where there is no memory. It passes the hook.
#include <cstddef>
#include <new>

extern "C" {
void *tc_new(size_t), *tc_newarray(size_t), *tc_new_aligned(size_t, size_t), *tc_newarray_aligned(size_t, size_t);
int core_not_thrown(void);
}

static bool throws(void *(*allocate)(size_t))
{
	try {
		allocate(size_t{1} << 56); // more than there are addresses, and little of a countdown
	} catch (const std::bad_alloc &) {
		return true;
	}
	return false;
}

int core_not_thrown(void)
{
	return !throws([](size_t size) { return tc_new(size); }) + !throws([](size_t size) { return tc_newarray(size); }) +
	       !throws([](size_t size) { return tc_new_aligned(size, 64); }) + !throws([](size_t size) { return tc_newarray_aligned(size, 64); });
}

// What allocates before main, and by operator new. It counts as sums.c does. With an argument, it does not try how operator new fails.
#include <cstdio>
#include <cstdlib>
#include <new>

static long blocks, bytes;

__attribute__((noinline)) void sum_new(long size)
{
	if (::operator new(size) == nullptr)
		abort();
	blocks++, bytes += size;
}

__attribute__((constructor)) static void before_main()
{
	sum_new(12345);
}

// Asks for more than any allocator has. The exception is allocated, too.
static bool throws()
{
	try {
		return ::operator new(1UL << 62) == nullptr;
	} catch (const std::bad_alloc &) {
		return true;
	}
}

int main(int count, char **)
{
	for (long i = 1; i <= 100; i++)
		sum_new(i);
	if (count == 1 && !throws())
		return 1;
	std::printf("sums 0 %ld %ld %ld %ld\n", blocks, bytes, blocks, bytes);
	return 3;
}

// C++: functions that only their own file sees, with names that compilers and demanglers spell differently.
#include <stdlib.h>
#include <vector>

#define ALONE __attribute__((noinline))
#define INSIDE __attribute__((always_inline)) inline

namespace {
template <typename T> ALONE void *take(T n) { return malloc(n + sizeof n); }
template <typename T, unsigned long N> ALONE void *box(T n) { return malloc(n + N); }
template <typename T> INSIDE void *taken(T n) { return malloc(n + 7 * sizeof n); }

struct Pool {
	template <typename T> ALONE operator std::vector<T>() { return std::vector<T>(3); }
	ALONE operator long() { return size += 5; }
	template <typename T> ALONE bool operator<(T n) { return (size += n) > 0; }
	template <typename T> ALONE Pool &operator<<(T n) { return size += n, *this; }
	ALONE Pool *operator->() { return size++, this; }
	template <typename T> ALONE void *grow(T n) { return malloc(size += n); }
	long size = 0;
};
} // namespace

template <typename T> static ALONE void *global(T n) { return malloc(n + 2 * sizeof n); }
template <typename T> static INSIDE void *inlined(T n) { return malloc(n + 9 * sizeof n); }

static void *volatile sink;

int main(int argc, char **) {
	Pool pool;
	sink = take<int>(argc), sink = take<long>(argc), sink = take<unsigned long>(argc);
	sink = take<short>(argc), sink = take<unsigned short>(argc);
	sink = take<unsigned char>(argc), sink = box<long long, 3>(argc), sink = box<unsigned, 1 << 20>(argc);
	sink = taken<long>(argc), sink = taken<unsigned long long>(argc);
	sink = global<int>(argc), sink = global<long>(argc);
	sink = inlined<int>(argc), sink = inlined<long>(argc);
	std::vector<long> list = pool;
	sink = &list, sink = pool.grow(3L), sink = &(pool << 4UL << 3);
	auto lambda = [&](auto n) ALONE { return malloc(n + pool.size); };
	sink = lambda(3L), sink = lambda(4);
	auto within = [&](int n) __attribute__((always_inline)) { return malloc(n + 2 * pool.size); };
	sink = within(5);
	return (pool < 3L) + pool->size + (long)pool;
}

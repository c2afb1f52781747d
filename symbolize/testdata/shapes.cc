// C++: templates, lambdas, anonymous namespaces, local classes, virtual calls, exceptions, the standard library inlined.
#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {
struct Counter {
	int n = 0;
	__attribute__((noinline)) void bump(int by) { n += by; history.push_back(n); }
	std::vector<int> history;
};
inline int twice(int x) { return x * 2 + rand(); }
__attribute__((noinline)) int hidden(int x) { return twice(x) + twice(x + 1); }
} // namespace

namespace zoo {
inline namespace v2 {
struct Animal {
	virtual ~Animal() {}
	virtual std::string name() const = 0;
};
template <typename T, int N> struct Cage : Animal {
	T inhabitants[N];
	std::string name() const override { return label("cage of "); }
	std::string label(const std::string &prefix) const { return prefix + std::to_string(N + sizeof(T)); }
};
} // namespace v2
template <typename F> __attribute__((noinline)) int apply(F f, int times) {
	int sum = 0;
	for (int i = 0; i < times; i++)
		sum += f(i);
	return sum;
}
} // namespace zoo

static std::map<std::string, std::unique_ptr<zoo::Animal>> cages;

static __attribute__((noinline)) void fill(int n) {
	struct Local {
		__attribute__((noinline)) static std::string key(int i) { return std::to_string(i) + "!"; }
	};
	for (int i = 0; i < n; i++)
		cages[Local::key(i)] = std::make_unique<zoo::Cage<long, 3>>();
}

int main(int argc, char **argv) {
	Counter counter;
	try {
		counter.bump(argc);
		fill(argc);
		int k = hidden(argc);
		auto deep = [&](int i) { return twice(i) + k; };
		k += zoo::apply(deep, argc) + zoo::apply([](int i) { return hidden(i); }, 2);
		std::sort(counter.history.begin(), counter.history.end(), [](int a, int b) { return a % 7 < b % 7; });
		if (k == 42)
			throw std::runtime_error(cages.begin()->second->name());
		return k + counter.history.back();
	} catch (const std::exception &e) {
		return e.what()[0];
	}
}

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace UNIT {
namespace {
template <int N> struct Key { int value; std::string text; bool operator<(const Key &o) const { return value % (N + 2) < o.value % (N + 2); } bool operator==(const Key &o) const { return value == o.value; } };
template <int N> struct Hash { size_t operator()(const Key<N> &k) const { return std::hash<std::string>()(k.text) * (N + 3); } };
template <int N> struct Store {
	std::map<Key<N>, std::vector<std::string>> ordered;
	std::unordered_map<Key<N>, std::shared_ptr<Key<N>>, Hash<N>> hashed;
	std::deque<std::variant<int, std::string, Key<N>>> queue;
	std::set<Key<N>> seen;
	std::function<bool(const Key<N> &)> filter;
	void fill(int n) {
		for (int i = 0; i < n; i++) {
			Key<N> key{i, std::to_string(i * N)};
			ordered[key].push_back(key.text);
			hashed.emplace(key, std::make_shared<Key<N>>(key));
			queue.emplace_back(key);
			if (seen.insert(key).second && filter && filter(key))
				queue.emplace_front(key.text + "!");
		}
		std::stable_sort(queue.begin(), queue.end(), [](const auto &a, const auto &b) { return a.index() < b.index(); });
	}
	long sum() const {
		long total = std::accumulate(ordered.begin(), ordered.end(), 0L, [](long n, const auto &e) { return n + e.second.size() + e.first.value; });
		for (const auto &e : queue)
			total += std::visit([](const auto &v) -> long { using T = std::decay_t<decltype(v)>; if constexpr (std::is_same_v<T, int>) return v; else if constexpr (std::is_same_v<T, std::string>) return v.size(); else return v.value + N; }, e);
		std::ostringstream out;
		for (const auto &k : seen) out << k.text << ',';
		return total + out.str().size();
	}
};
template <int N> long drive(int n) {
	Store<N> store;
	std::regex pattern("[0-9]+" + std::to_string(N));
	store.filter = [&](const Key<N> &k) { return std::regex_match(k.text, pattern); };
	store.fill(n);
	return store.sum();
}
template <int... N> long all(int n, std::integer_sequence<int, N...>) { return (drive<N>(n) + ... + 0L); }
}
long run(int n) { return all(n, std::make_integer_sequence<int, 12>()); }
}

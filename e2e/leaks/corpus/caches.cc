// Two caches that evict what was not used for longest. One forgets to delete what it evicts.
#include <list>
#include <unordered_map>

#include "trial.h"

namespace {

constexpr size_t size = 1000;

APART char *kept_in_cache() { return static_cast<char *>(COUNTED(new char[size], size)); }
APART char *kept_in_leaky_cache() { return static_cast<char *>(COUNTED(new char[size], size)); }

class cache {
public:
	cache(size_t capacity, bool leaks) : capacity(capacity), leaks(leaks) {}

	void put(size_t key, char *value)
	{
		used.push_front({key, value});
		index[key] = used.begin();
		if (used.size() > capacity)
			evict();
	}

private:
	struct entry {
		size_t key;
		char *value;
	};

	void evict()
	{
		index.erase(used.back().key);
		if (!leaks) {
			delete[] used.back().value;
			trial_uncounted("kept_in_cache", size);
		}
		used.pop_back();
	}

	std::list<entry> used;
	std::unordered_map<size_t, std::list<entry>::iterator> index;
	size_t capacity;
	bool leaks;
};

APART char *lost_by_eviction() { return static_cast<char *>(COUNTED(new char[size], size)); }

cache *good, *leaky;

} // namespace

// Of the leaky one, the last values are still in it.
extern "C" void caches(void)
{
	size_t number = trial_number(size);
	good = new cache(number, false);
	leaky = new cache(number, true);
	for (size_t i = 0; i < 3 * number; i++)
		good->put(i, kept_in_cache());
	for (size_t i = 0; i < number; i++)
		leaky->put(i, lost_by_eviction());
	for (size_t i = 0; i < number; i++)
		leaky->put(number + i, kept_in_leaky_cache());
	trial_held("kept_in_cache", "block allocated in ");
	trial_held("kept_in_leaky_cache", "block allocated in ");
}

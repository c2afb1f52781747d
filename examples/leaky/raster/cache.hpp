#pragma once

#include <cstddef>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace raster {

// A map from keys to what was made for them, from several threads. It has no bound and never evicts: with keys that do
// not repeat, every look-up adds a value that stays for ever. That is this example's second leak.
template <typename Key, typename Value>
class Cache {
public:
	// The value of key, made by make() if there is none. Values stay where they are until the cache dies.
	template <typename Make>
	const Value &find_or_make(const Key &key, Make make)
	{
		std::lock_guard<std::mutex> lock(mutex_);
		auto found = values_.find(key);
		if (found == values_.end())
			found = values_.emplace(key, make()).first;
		return found->second;
	}

	std::size_t entries()
	{
		std::lock_guard<std::mutex> lock(mutex_);
		return values_.size();
	}

private:
	std::mutex mutex_;
	std::unordered_map<Key, Value> values_;
};

} // namespace raster

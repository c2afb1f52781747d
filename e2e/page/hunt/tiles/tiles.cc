#include "tiles.h"
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace tiles {

struct Tile {
	int number;
	std::vector<unsigned char> pixels;
};

class Renderer {
public:
	std::shared_ptr<Tile> render(int number)
	{
		auto tile = std::make_shared<Tile>();
		tile->number = number;
		rasterize(*tile);
		return tile;
	}

private:
	__attribute__((noinline)) void rasterize(Tile &tile)
	{
		std::vector<unsigned char> scratch(64 << 10, tile.number & 255);
		tile.pixels.assign(scratch.begin(), scratch.begin() + (12 << 10));
	}
};

class LruCache {
public:
	explicit LruCache(size_t limit) : limit_(limit) {}
	__attribute__((noinline)) std::shared_ptr<Tile> getOrRender(int number)
	{
		std::lock_guard<std::mutex> lock(mutex_);
		auto found = index_.find(number);
		if (found != index_.end()) {
			order_.splice(order_.begin(), order_, found->second);
			return *found->second;
		}
		order_.push_front(renderer_.render(number));
		index_[number] = order_.begin();
		bytes_ += order_.front()->pixels.size();
		while (bytes_ > limit_) {
			bytes_ -= order_.back()->pixels.size();
			index_.erase(order_.back()->number);
			order_.pop_back();
		}
		return order_.front();
	}

private:
	size_t limit_, bytes_ = 0;
	Renderer renderer_;
	std::mutex mutex_;
	std::list<std::shared_ptr<Tile>> order_;
	std::unordered_map<int, std::list<std::shared_ptr<Tile>>::iterator> index_;
};

LruCache cache(64 << 20);

} // namespace tiles

int tiles_get(int n) { return tiles::cache.getOrRender(n % 200000)->pixels[0]; }

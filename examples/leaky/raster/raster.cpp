#include "raster.h"

#include "cache.hpp"
#include "ppm.hpp"
#include "worker.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>

struct raster_cache {
	raster::Cache<std::string, raster::Bytes> thumbnails;
};

struct raster_worker {
	raster::Worker worker;
};

struct raster_job {
	std::future<raster::Bytes> result;
};

namespace {

std::string_view view(const uint8_t *bytes, size_t size)
{
	return {reinterpret_cast<const char *>(bytes), size};
}

raster_result copy(const raster::Bytes &picture)
{
	raster_result result = {};
	result.bytes = static_cast<uint8_t *>(std::malloc(picture.size()));
	if (result.bytes == nullptr)
		throw std::bad_alloc();
	result.size = picture.size();
	std::memcpy(result.bytes, picture.data(), picture.size());
	return result;
}

// Runs make, which yields the bytes of a picture, and turns what it throws into a sentence.
template <typename Make>
raster_result guarded(Make make)
{
	try {
		return copy(make());
	} catch (const std::exception &error) {
		raster_result result = {};
		std::snprintf(result.error, sizeof result.error, "%s", error.what());
		return result;
	}
}

} // namespace

void raster_result_free(struct raster_result *result)
{
	std::free(result->bytes);
	*result = {};
}

struct raster_result raster_shrink(const uint8_t *picture, size_t size, int width)
{
	return guarded([&] { return raster::thumbnail(view(picture, size), width); });
}

struct raster_cache *raster_cache_open(void) { return new (std::nothrow) raster_cache; }

void raster_cache_close(struct raster_cache *cache) { delete cache; }

struct raster_result raster_cache_thumbnail(struct raster_cache *cache, const char *key, const uint8_t *picture,
					    size_t size, int width)
{
	return guarded([&]() -> const raster::Bytes & {
		return cache->thumbnails.find_or_make(
			key, [&] { return raster::thumbnail(view(picture, size), width); });
	});
}

size_t raster_cache_entries(struct raster_cache *cache) { return cache->thumbnails.entries(); }

struct raster_worker *raster_worker_open(void)
{
	try {
		return new raster_worker;
	} catch (const std::exception &) {
		return nullptr;
	}
}

void raster_worker_close(struct raster_worker *worker) { delete worker; }

struct raster_job *raster_worker_submit(struct raster_worker *worker, const uint8_t *picture, size_t size, int width)
{
	try {
		return new raster_job{worker->worker.submit(view(picture, size), width)};
	} catch (const std::exception &) {
		return nullptr;
	}
}

struct raster_result raster_job_wait(struct raster_job *job)
{
	raster_result result = guarded([&] { return job->result.get(); });
	delete job;
	return result;
}

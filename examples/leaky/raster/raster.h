#ifndef RASTER_H
#define RASTER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The C door of the library. No exception passes it: a failure is a sentence in error, and bytes is NULL.

struct raster_result {
	uint8_t *bytes; // an encoded picture; the caller owes raster_result_free
	size_t size;
	char error[96];
};

void raster_result_free(struct raster_result *result);

// Renders picture at most width pixels wide. The bytes of picture are borrowed for the duration of the call.
struct raster_result raster_shrink(const uint8_t *picture, size_t size, int width);

// A cache keeps every thumbnail it ever rendered until it is closed.
struct raster_cache;
struct raster_cache *raster_cache_open(void);
void raster_cache_close(struct raster_cache *cache);
struct raster_result raster_cache_thumbnail(struct raster_cache *cache, const char *key, const uint8_t *picture,
					    size_t size, int width);
size_t raster_cache_entries(struct raster_cache *cache);

// A worker renders on a thread of its own. Each job that was submitted must be waited for, before the worker is closed.
struct raster_worker;
struct raster_job;
struct raster_worker *raster_worker_open(void);
void raster_worker_close(struct raster_worker *worker);
struct raster_job *raster_worker_submit(struct raster_worker *worker, const uint8_t *picture, size_t size, int width);
struct raster_result raster_job_wait(struct raster_job *job);

#ifdef __cplusplus
}
#endif

#endif

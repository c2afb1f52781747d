//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "control.h"

#include <errno.h>
#include <pthread.h>

#include "bounds.h"
#include "box.h"
#include "device_books.h"
#include "filter.h"
#include "gate.h"
#include "labels.h"
#include "layout.h"
#include "live.h"
#include "objects.h"
#include "record.h"
#include "record_mapped.h"
#include "scratch.h"
#include "waker.h"

static void in_child(void)
{
	gate_forsake();
	mapping_watch(false);
	region_forsake(cgoheap_thread.inside != 0);
}

int cgoheap_prepare(const struct options *o)
{
	static bool registered;
	if (!registered && pthread_atfork(NULL, NULL, in_child) != 0)
		return ENOMEM;
	registered = true;
	objects_prepare();
	bounds_prepare();
	if (!scratch_prepare())
		return errno;
	int failed = layout_open(o->file.pages != 0 ? &o->file : NULL, o->table_bytes, o->sample_bytes);
	if (failed != 0)
		return failed;
	cgoheap_region->scratch = (uintptr_t)cgoheap_scratches;
	cgoheap_region->scratch_size = scratch_bytes();
	cgoheap_region->seed = o->seed;
	cgoheap_region->max_depth = o->max_depth;
	cgoheap_region->go_pages = (uintptr_t)&cgoheap_go_pages;
	__atomic_store_n(&cgoheap_seed, o->seed, __ATOMIC_RELAXED);
	__atomic_store_n(&cgoheap_max_depth, o->max_depth, __ATOMIC_RELAXED);
	__atomic_store_n(&cgoheap_sample_bytes, o->sample_bytes, __ATOMIC_RELAXED);
	cgoheap_labels = (struct label_options){.of_thread = o->thread_names ? LABEL_NAME : 0};
	waker_rearm();
	return 0;
}

void cgoheap_start(void)
{
	gate_open();
	device_books_begin();
	mapping_watch(true);
}

bool cgoheap_stop(void)
{
	mapping_watch(false);
	bool empty = gate_close();
	if (empty) {
		region_close();
		scratch_clear();
		box_close();
	}
	return empty;
}

void cgoheap_set_sample_bytes(uint64_t sample_bytes)
{
	__atomic_store_n(&cgoheap_region->sample_bytes, sample_bytes, __ATOMIC_RELAXED);
	__atomic_store_n(&cgoheap_sample_bytes, sample_bytes, __ATOMIC_RELAXED);
}

bool cgoheap_settle(void)
{
	bool marked = filter_mark();
	bool settled = gate_settle();
	if (marked)
		filter_recount(settled, live_count);
	return settled;
}

void cgoheap_publish(uint64_t index)
{
	__atomic_store_n(&cgoheap_region->index, index, __ATOMIC_RELEASE);
}

static enum end walk_from(const struct registers *caller, uint64_t *frames, size_t *depth, uintptr_t *goroutine)
{
	struct walk w;
	walk_begin(&w, caller, frames, *depth);
	struct pass pass;
	*depth = *goroutine = 0;
	if (cgoheap_region == NULL || !gate_enter(&pass, __atomic_load_n(&cgoheap_generation, __ATOMIC_ACQUIRE)))
		return END_STOPPED;
	walk_by_current(&w);
	struct copy copy;
	memory_begin(&w.memory, &cgoheap_thread, caller->sp, &copy);
	enum end end = walk(&w);
	memory_end(&w.memory);
	gate_leave(pass);
	*depth = w.depth;
	*goroutine = w.goroutine;
	return end;
}

__attribute__((noinline)) size_t cgoheap_walk_frames(uint64_t *frames, size_t max, uint32_t *end, uintptr_t *goroutine)
{
	struct registers caller = CALLER_REGISTERS();
	*end = walk_from(&caller, frames, &max, goroutine);
	return max;
}

__attribute__((noinline)) size_t cgoheap_walk(uintptr_t *pcs, size_t max)
{
	struct registers caller = CALLER_REGISTERS();
	uintptr_t goroutine;
	walk_from(&caller, (uint64_t *)pcs, &max, &goroutine);
	for (size_t i = 0; i < max; i++)
		pcs[i] &= 0xffffffffffffULL;
	return max;
}

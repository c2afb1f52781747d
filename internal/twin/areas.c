//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "areas.h"

#include "machine.h"
#include "sort.h"

// Documentation/admin-guide/mm/pagemap.rst
#define PRESENT (1ULL << 63)
#define SWAPPED (1ULL << 62)
#define OF_FILE (1ULL << 61) // or anonymous and shared
#define GUARD (1ULL << 58)
#define ENTRIES 512

static bool is_touched(uint64_t entry, enum twin_touched touched)
{
	if ((entry & GUARD) != 0)
		return false;
	if (touched == TWIN_SWAPPED)
		return (entry & (PRESENT | SWAPPED)) == SWAPPED;
	return (entry & PRESENT) != 0 && (touched != TWIN_WRITTEN || (entry & OF_FILE) == 0);
}

// Whether the kernel has each page in memory, whoever maps it: mincore(2). If it does not say, all may be.
static void find_resident(uint8_t resident[ENTRIES], uint64_t start, uint64_t count, uint64_t page)
{
	if (system_call(SYS_mincore, (long)start, (long)(count * page), (long)resident, 0) == 0)
		return;
	for (uint64_t i = 0; i < count; i++)
		resident[i] = 1;
}

bool twin_runs(const struct twin_pagemap *map, uint64_t start, uint64_t limit, enum twin_touched touched, twin_run *run, void *arg)
{
	uint64_t entries[ENTRIES], page = map->page, from = limit;
	uint8_t resident[ENTRIES] = {0};
	for (uint64_t at = start & ~(page - 1); at < limit;) {
		uint64_t left = (limit - at + page - 1) / page, count = left < ENTRIES ? left : ENTRIES;
		long read = system_call(SYS_pread64, map->file, (long)entries, (long)(count * 8), (long)(at / page * 8));
		if (read < 8)
			return false;
		if (touched == TWIN_SHARED)
			find_resident(resident, at, (uint64_t)read / 8, page);
		for (long i = 0; i < read / 8; i++, at += page) {
			bool there = is_touched(entries[i], touched) || (resident[i] & 1) != 0;
			if (there && from == limit)
				from = at < start ? start : at;
			if (!there && from < limit) {
				run(arg, from, at);
				from = limit;
			}
		}
	}
	if (from < limit)
		run(arg, from, limit);
	return true;
}

static uint64_t join(struct twin_range *r, uint64_t count)
{
	uint64_t kept = 0;
	for (uint64_t i = 0; i < count; i++) {
		if (kept > 0 && r[i].start <= r[kept - 1].limit) {
			if (r[i].limit > r[kept - 1].limit)
				r[kept - 1].limit = r[i].limit;
		} else {
			r[kept++] = r[i];
		}
	}
	return kept;
}

static void count_heap(void *arg, uint64_t start, uint64_t limit)
{
	(void)start;
	(void)limit;
	++*(uint64_t *)arg;
}

static void add_heap(void *arg, uint64_t start, uint64_t limit)
{
	struct twin_apart *a = arg;
	a->ranges[a->count++] = (struct twin_range){start, limit};
}

bool twin_apart_find(struct twin_apart *a, const struct twin_task *task, const struct twin_maps *maps, const struct twin_heaps *heaps, const struct twin_nodes *nodes)
{
	const struct twin_range *given = (const void *)((const char *)task + task->apart);
	const struct twin_stack *stacks = (const void *)((const char *)task + task->stacks);
	uint64_t heap_count = 0;
	twin_heaps_each(heaps, count_heap, &heap_count);
	a->taken = (task->aparts + task->stack_count + heap_count + task->count + 3) * sizeof *a->ranges;
	a->ranges = pages_map(a->taken);
	if (a->ranges == NULL)
		return false;
	for (uint64_t i = 0; i < task->aparts; i++)
		a->ranges[a->count++] = given[i];
	for (uint64_t i = 0; i < task->stack_count; i++)
		a->ranges[a->count++] = (struct twin_range){stacks[i].start, stacks[i].limit};
	a->ranges[a->count++] = (struct twin_range){(uint64_t)maps->text, (uint64_t)maps->text + maps->room};
	if (task->malloc.arena != 0) // whose pointers to free chunks look like pointers to the ends of the blocks before
		a->ranges[a->count++] = (struct twin_range){task->malloc.arena, task->malloc.arena + TWIN_ARENA_SIZE};
	twin_heaps_each(heaps, add_heap, a);
	for (uint64_t i = 0; i < nodes->count; i++) {
		const struct twin_block *b = &nodes->blocks[i];
		if (!twin_nodes_in_chunks(nodes, b->at))
			a->ranges[a->count++] = (struct twin_range){b->at, b->at + b->size};
	}
	twin_sort(a->ranges, a->count, sizeof *a->ranges, offsetof(struct twin_range, start));
	a->count = join(a->ranges, a->count);
	return true;
}

struct visiting {
	const struct twin_task *task;
	const struct twin_apart *apart;
	enum twin_root kind;
	twin_run *run, *copied;
	void *arg;
	uint64_t next;      // index of the first range apart that may matter
	uint64_t data_end;  // where the last mapping with data of a file ended: its .bss follows
	bool failed;
};

// Whether loads from there do nothing else. Memory of a device may.
static bool is_memory(const struct twin_map *m)
{
	if (twin_map_begins(m, "/dev/"))
		return twin_map_begins(m, "/dev/shm/") || twin_map_begins(m, "/dev/zero") || twin_map_begins(m, "/dev/hugepages/");
	return !twin_map_begins(m, "[v") && !twin_map_begins(m, "anon_inode:") && !twin_map_begins(m, "/sys/") && !twin_map_begins(m, "/proc/");
}

static void look(struct visiting *v, const struct twin_map *m, uint64_t start, uint64_t limit)
{
	while (start < limit) {
		uint64_t end = (start & ~(TWIN_GO_ARENA - 1)) + TWIN_GO_ARENA;
		if (end > limit)
			end = limit;
		if (!twin_go_holds(&v->task->go, start)) {
			struct twin_pagemap here = {v->task->pagemap, v->task->page}, origin = {v->task->origin, v->task->page};
			bool read = m->shared ? twin_runs(&origin, start, end, TWIN_SHARED, v->copied, v->arg)
					      : twin_runs(&here, start, end, TWIN_WRITTEN, v->run, v->arg);
			read = read && twin_runs(m->shared ? &origin : &here, start, end, TWIN_SWAPPED, v->copied, v->arg);
			v->failed = v->failed || !read;
		}
		start = end;
	}
}

static void visit(void *arg, const struct twin_map *m)
{
	struct visiting *v = arg;
	bool data = !m->shared && (m->anonymous ? m->start == v->data_end : true);
	if (data)
		v->data_end = m->limit;
	if (!m->readable || (m->shared && !m->writable) || !is_memory(m) || data != (v->kind == TWIN_ROOT_DATA))
		return;
	const struct twin_range *r = v->apart->ranges;
	while (v->next < v->apart->count && r[v->next].limit <= m->start)
		v->next++;
	uint64_t at = m->start;
	for (uint64_t i = v->next; i < v->apart->count && r[i].start < m->limit; i++) {
		if (at < r[i].start)
			look(v, m, at, r[i].start);
		if (at < r[i].limit)
			at = r[i].limit;
	}
	look(v, m, at, m->limit);
}

bool twin_areas(const struct twin_task *task, const struct twin_maps *maps, const struct twin_apart *apart, enum twin_root kind,
		twin_run *run, twin_run *copied, void *arg)
{
	struct visiting v = {.task = task, .apart = apart, .kind = kind, .run = run, .copied = copied, .arg = arg};
	return twin_maps_each(maps, visit, &v) && !v.failed;
}

static void touch_run(void *arg, uint64_t start, uint64_t limit)
{
	(void)arg;
	for (uint64_t at = start; at < limit; at += 4096)
		(void)*(const volatile char *)at;
}

static void touch(void *arg, const struct twin_map *m)
{
	struct visiting *v = arg;
	struct twin_pagemap here = {v->task->pagemap, v->task->page};
	if (m->readable && !m->shared && is_memory(m) && !twin_runs(&here, m->start, m->limit, TWIN_WRITTEN, touch_run, NULL))
		v->failed = true;
}

bool twin_areas_touch(const struct twin_task *task, const struct twin_maps *maps)
{
	struct visiting v = {.task = task};
	return twin_maps_each(maps, touch, &v) && !v.failed;
}

static void count_readable(void *arg, const struct twin_map *m)
{
	*(uint64_t *)arg += m->readable && is_memory(m) ? 1 : 0;
}

static void add_readable(void *arg, const struct twin_map *m)
{
	struct twin_readable *r = arg;
	if (!m->readable || !is_memory(m))
		return;
	if (r->count > 0 && r->ranges[r->count - 1].limit == m->start)
		r->ranges[r->count - 1].limit = m->limit;
	else
		r->ranges[r->count++] = (struct twin_range){m->start, m->limit};
}

bool twin_readable_find(struct twin_readable *r, const struct twin_maps *maps)
{
	uint64_t count = 0;
	if (!twin_maps_each(maps, count_readable, &count))
		return false;
	r->taken = (count + 1) * sizeof *r->ranges;
	r->ranges = pages_map(r->taken);
	return r->ranges != NULL && twin_maps_each(maps, add_readable, r);
}

// Returns the index of the first range that ends behind an address.
static uint64_t readable_from(const struct twin_readable *r, uint64_t address)
{
	uint64_t from = 0, to = r->count;
	while (from < to) {
		uint64_t middle = (from + to) / 2;
		if (r->ranges[middle].limit <= address)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

struct twin_range twin_readable_around(const struct twin_readable *r, uint64_t address)
{
	uint64_t i = readable_from(r, address);
	return i < r->count && r->ranges[i].start <= address ? r->ranges[i] : (struct twin_range){0};
}

void twin_readable_each(const struct twin_readable *r, uint64_t start, uint64_t limit, twin_run *run, void *arg)
{
	for (uint64_t i = readable_from(r, start); i < r->count && r->ranges[i].start < limit; i++) {
		uint64_t at = start > r->ranges[i].start ? start : r->ranges[i].start;
		uint64_t end = limit < r->ranges[i].limit ? limit : r->ranges[i].limit;
		if (at < end)
			run(arg, at, end);
	}
}

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "device.h"

static const struct kind kinds[] = {
	[DEVICE_MEMORY] = {"cuda", 4, 0},
	[DEVICE_MANAGED] = {"cuda managed", 12, 0},
	[DEVICE_PINNED] = {"cuda pinned", 11, 0},
};

void device_give(const struct registers *caller, const struct device_block *b)
{
	struct kind kind = kinds[b->kind];
	kind.device = b->device;
	if (b->key <= RESERVED || !record_join())
		return;
	if ((b->key & DEVICE_TAG) != DEVICE_HANDLE)
		device_books_add(b->key, b->owner, 0);
	record_reported(&(struct allocation){(const void *)b->key, b->size, 1, caller}, &kind);
}

static const struct allocation none;

static void settle(const void *p, struct forgotten *old, bool failed)
{
	if (failed)
		record_restore(p, old);
	else
		record_move(old, &none);
}

// The entry leaves before the real call too: afterwards another thread may have the key.
void device_take(uint64_t key, struct device_taking *t)
{
	t->key = key;
	record_forget((const void *)key, &t->old);
	t->booked = t->old.generation != 0 && device_books_take(key, &t->owner);
}

void device_taken(struct device_taking *t, bool failed)
{
	if (failed && t->booked)
		device_books_add(t->key, t->owner, 0);
	settle((const void *)t->key, &t->old, failed);
}

void device_hold(uint64_t handle)
{
	device_books_add(handle, 1, 0);
}

void device_hold_again(uint64_t handle)
{
	uint64_t held;
	device_books_change(handle, 1, &held);
}

void device_map(uint64_t handle, uint64_t at, uint64_t size)
{
	uint64_t held;
	if (device_books_change(handle, 1, &held))
		device_books_add(device_key(DEVICE_MAPPING, at), handle, size);
}

// A handle without an entry: it was made before the recording, or there was no room.
void device_release(uint64_t handle, struct device_taking *t)
{
	uint64_t held;
	*t = (struct device_taking){.key = handle, .owner = 1};
	t->booked = device_books_change(handle, -1, &held);
	if (!t->booked || held == 0)
		device_take(handle, t);
	t->owner = 1;
}

void device_released(uint64_t handle, struct device_taking *t, bool failed)
{
	if (t->old.generation != 0)
		device_taken(t, failed);
	else if (failed)
		device_hold_again(handle);
}

// Forgets a block that is entered, until the call is over.
static void suspend(uint64_t key, uint32_t call)
{
	struct forgotten old;
	record_forget((const void *)key, &old);
	if (!device_books_mark(key, call, &old))
		record_move(&old, &none); // another thread has freed it meanwhile
}

// What became of a block that is marked.
static void settle_found(const struct device_search *s, bool failed)
{
	struct forgotten old = s->found.old;
	if (failed)
		device_books_unmark(s);
	else
		device_books_end(s);
	settle((const void *)s->found.key, &old, failed);
}

uint32_t device_end_owned(uint64_t owner, uint64_t other)
{
	uint32_t call = device_number();
	struct device_search s = {.to = UINT64_MAX, .owners = {owner, other}};
	while (device_books_next(&s))
		suspend(s.found.key, call);
	return call;
}

void device_ended(uint32_t call, bool failed)
{
	struct device_search s = {.call = call};
	while (device_books_next(&s))
		settle_found(&s, failed);
}

// The next mapping of a range of addresses, by where the one before ends. Where none is known there may be one that was made before the
// recording: then all entries are looked through, once.
static bool next_mapping(struct device_search *s)
{
	bool through = s->level != 0 || s->index != 0;
	if (s->from >= s->to)
		return false;
	if (through || !device_books_at(s))
		return device_books_next(s);
	s->from += s->found.size;
	return true;
}

static struct device_search in_range(uint64_t at, uint64_t size, uint32_t call)
{
	uint64_t from = device_key(DEVICE_MAPPING, at);
	return (struct device_search){.call = call, .from = from, .to = from + size};
}

static const struct forgotten nothing;

uint32_t device_unmap(uint64_t at, uint64_t size)
{
	uint64_t held;
	uint32_t call = device_number(), marked = 0;
	struct device_search s = in_range(at, size, 0);
	while (next_mapping(&s)) {
		uint64_t handle = s.found.value;
		if (!device_books_mark(s.found.key, call, &nothing))
			continue;
		marked = call;
		if (device_books_change(handle, -1, &held) && held == 0)
			suspend(handle, call);
	}
	return marked;
}

// A block comes back before the mapping that holds it.
static void settle_mapping(const struct device_search *mapping, bool failed)
{
	struct device_search handle = {.call = mapping->call, .from = mapping->found.value};
	if (device_books_at(&handle))
		settle_found(&handle, failed);
	if (!failed) {
		device_books_end(mapping);
		return;
	}
	device_books_unmark(mapping);
	device_hold_again(mapping->found.value);
}

void device_unmapped(uint64_t at, uint64_t size, uint32_t call, bool failed)
{
	struct device_search s = in_range(at, size, call);
	while (call != 0 && next_mapping(&s))
		if ((s.found.key & DEVICE_TAG) == DEVICE_MAPPING)
			settle_mapping(&s, failed);
}

void device_drop(uint64_t owner, uint64_t other)
{
	uint64_t unused;
	struct device_search s = {.to = UINT64_MAX, .owners = {owner, other}};
	while (device_books_next(&s))
		if (device_books_take(s.found.key, &unused))
			record_free((const void *)s.found.key);
}

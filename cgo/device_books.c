//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// Entries lie in levels, each twice as large as the one before, as in live.c: an entry may be in one bucket of each. Every change
// is a swap of one key, so there are no locks. Calls that need it are rare, and a driver takes microseconds for each.

#include "device_books.h"

#include "hash.h"
#include "region.h"
#include "shield.h"

#define FIRST_ENTRIES 64
#define BUCKET_ENTRIES 8
#define TAKEN 1 // a key whose entry is being written

uint32_t device_number(void)
{
	static uint32_t last;
	uint32_t number = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
	return number != 0 ? number : __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

static uint64_t load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static void store(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
}

static struct device_entry *level_at(uint32_t level)
{
	uint64_t at = __atomic_load_n(&cgoheap_region->devices[level], __ATOMIC_ACQUIRE);
	return at == 0 ? NULL : region_at(at);
}

static struct device_entry *bucket_of(uint32_t level, uint64_t key)
{
	struct device_entry *entries = level_at(level);
	uint64_t buckets = ((uint64_t)FIRST_ENTRIES << level) / BUCKET_ENTRIES;
	return entries == NULL ? NULL : &entries[(mix64(key) & (buckets - 1)) * BUCKET_ENTRIES];
}

static struct device_entry *find(uint64_t key, uint32_t call)
{
	struct device_entry *e;
	if (key <= TAKEN)
		return NULL;
	for (uint32_t level = 0; level < REGION_DEVICES && (e = bucket_of(level, key)) != NULL; level++)
		for (int i = 0; i < BUCKET_ENTRIES; i++)
			if (__atomic_load_n(&e[i].key, __ATOMIC_ACQUIRE) == key && __atomic_load_n(&e[i].call, __ATOMIC_RELAXED) == call)
				return &e[i];
	return NULL;
}

static bool grow(uint32_t level)
{
	uint64_t none = 0, at = region_reserve(((uint64_t)FIRST_ENTRIES << level) * sizeof(struct device_entry));
	if (at != 0)
		__atomic_compare_exchange_n(&cgoheap_region->devices[level], &none, at, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	return level_at(level) != NULL;
}

static struct device_entry *claim_in(struct device_entry *bucket)
{
	for (int i = 0; i < BUCKET_ENTRIES; i++) {
		uint64_t none = 0;
		if (__atomic_compare_exchange_n(&bucket[i].key, &none, TAKEN, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return &bucket[i];
	}
	return NULL;
}

static struct device_entry *claim(uint64_t key)
{
	for (uint32_t level = 0; level < REGION_DEVICES; level++) {
		struct device_entry *bucket = bucket_of(level, key), *e;
		if (bucket == NULL)
			bucket = grow(level) ? bucket_of(level, key) : NULL;
		if (bucket == NULL)
			return NULL;
		if ((e = claim_in(bucket)) != NULL)
			return e;
	}
	return NULL;
}

static bool clear(struct device_entry *e, uint64_t key)
{
	return __atomic_compare_exchange_n(&e->key, &key, 0, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

// One thing to do in the books, and what comes of it.
struct task {
	void (*work)(struct task *);
	uint32_t generation;
	bool done;
	uint64_t key, value, size;
	int n;
	uint32_t call;
	const struct forgotten *old;
	struct device_search *search;
};

static inline __attribute__((always_inline)) void do_perform(struct task *t)
{
	struct pass pass;
	if (t->generation == 0 || gate_unbuilt(t->generation) || !gate_enter(&pass, t->generation))
		return;
	t->work(t);
	gate_leave(pass);
}

SHIELDED_FUNCTION(static, perform, (struct task *t), (t))

static bool perform_now(struct task *t)
{
	t->generation = __atomic_load_n(&cgoheap_generation, __ATOMIC_ACQUIRE);
	perform(t);
	return t->done;
}

static void add(struct task *t)
{
	struct device_entry *e = find(t->key, 0);
	if (e != NULL)
		clear(e, t->key);
	e = claim(t->key);
	if (e == NULL) {
		count(COUNT_LOST_DEVICE);
		return;
	}
	store(&e->value, t->value);
	store(&e->size, t->size);
	__atomic_store_n(&e->call, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&e->key, t->key, __ATOMIC_RELEASE);
}

void device_books_add(uint64_t key, uint64_t value, uint64_t size)
{
	perform_now(&(struct task){.work = add, .key = key, .value = value, .size = size});
}

static void take(struct task *t)
{
	struct device_entry *e = find(t->key, 0);
	if (e == NULL)
		return;
	t->value = load(&e->value);
	t->done = clear(e, t->key);
}

bool device_books_take(uint64_t key, uint64_t *value)
{
	struct task t = {.work = take, .key = key};
	bool taken = perform_now(&t);
	*value = t.value;
	return taken;
}

static void change(struct task *t)
{
	struct device_entry *e = find(t->key, 0);
	if (e == NULL)
		return;
	uint64_t value = __atomic_load_n(&e->value, __ATOMIC_ACQUIRE);
	do {
		if (__atomic_load_n(&e->key, __ATOMIC_ACQUIRE) != t->key)
			return; // another thread has taken it out
		t->value = value + (uint64_t)(int64_t)t->n;
	} while (!__atomic_compare_exchange_n(&e->value, &value, t->value, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	t->done = true;
}

bool device_books_change(uint64_t key, int n, uint64_t *value)
{
	struct task t = {.work = change, .key = key, .n = n};
	bool changed = perform_now(&t);
	*value = t.value;
	return changed;
}

static void mark(struct task *t)
{
	uint32_t none = 0;
	struct device_entry *e = find(t->key, 0);
	if (e == NULL || !__atomic_compare_exchange_n(&e->call, &none, t->call, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	if (__atomic_load_n(&e->key, __ATOMIC_ACQUIRE) != t->key) { // another thread has taken it out
		__atomic_store_n(&e->call, 0, __ATOMIC_RELEASE);
		return;
	}
	e->old = *t->old;
	t->done = true;
}

bool device_books_mark(uint64_t key, uint32_t call, const struct forgotten *old)
{
	return perform_now(&(struct task){.work = mark, .key = key, .call = call, .old = old});
}

static uint32_t lost;

static void enter_lost(struct task *t)
{
	(void)t;
	store(&cgoheap_region->counters[COUNT_LOST_DRIVER], __atomic_load_n(&lost, __ATOMIC_RELAXED));
}

void device_books_begin(void)
{
	if (__atomic_load_n(&lost, __ATOMIC_RELAXED) != 0)
		perform_now(&(struct task){.work = enter_lost});
}

void device_books_lose(uint32_t unhooked)
{
	uint32_t before = __atomic_load_n(&lost, __ATOMIC_RELAXED);
	while (before < unhooked)
		if (__atomic_compare_exchange_n(&lost, &before, unhooked, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
			device_books_begin();
			return;
		}
}

static bool owned(const struct device_search *s, const struct device_entry *e)
{
	uint64_t tag = s->found.key & DEVICE_TAG, owner = load(&e->value);
	return tag != DEVICE_HANDLE && tag != DEVICE_MAPPING && owner != 0 && (owner == s->owners[0] || owner == s->owners[1]);
}

// Whether the search is for this entry; its key is the one that was found then.
static bool wanted(struct device_search *s, const struct device_entry *e)
{
	uint64_t key = s->found.key = __atomic_load_n(&e->key, __ATOMIC_ACQUIRE);
	uint32_t call = __atomic_load_n(&e->call, __ATOMIC_RELAXED);
	if (key <= TAKEN || call != s->call)
		return false;
	return call != 0 || (key >= s->from && key < s->to && (s->owners[0] == 0 || owned(s, e)));
}

static void found(struct task *t, struct device_entry *e)
{
	struct device_search *s = t->search;
	s->entry = e;
	s->found.value = load(&e->value);
	s->found.size = load(&e->size);
	if (s->call != 0) // nobody else touches it then
		s->found.old = e->old;
	t->done = true;
}

static void search(struct task *t)
{
	struct device_search *s = t->search;
	for (; s->level < REGION_DEVICES; s->level++, s->index = 0) {
		struct device_entry *e = level_at(s->level);
		if (e == NULL)
			return;
		while (s->index < (uint32_t)FIRST_ENTRIES << s->level) {
			uint32_t i = s->index++;
			if (wanted(s, &e[i])) {
				found(t, &e[i]);
				return;
			}
		}
	}
}

static void look_at(struct task *t)
{
	struct device_entry *e = find(t->search->from, t->search->call);
	if (e == NULL)
		return;
	t->search->found.key = t->search->from;
	found(t, e);
}

static bool look(struct device_search *s, void (*work)(struct task *))
{
	if (s->generation == 0)
		s->generation = __atomic_load_n(&cgoheap_generation, __ATOMIC_ACQUIRE);
	struct task t = {.work = work, .generation = s->generation, .search = s};
	perform(&t);
	return t.done;
}

bool device_books_next(struct device_search *s)
{
	return look(s, search);
}

bool device_books_at(struct device_search *s)
{
	return look(s, look_at);
}

static void end(struct task *t)
{
	clear(t->search->entry, t->search->found.key);
}

void device_books_end(const struct device_search *s)
{
	perform(&(struct task){.work = end, .generation = s->generation, .search = (struct device_search *)s});
}

static void unmark(struct task *t)
{
	__atomic_store_n(&t->search->entry->call, 0, __ATOMIC_RELEASE);
}

void device_books_unmark(const struct device_search *s)
{
	perform(&(struct task){.work = unmark, .generation = s->generation, .search = (struct device_search *)s});
}

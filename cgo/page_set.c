//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// A range is one word, so that it can be compared and swapped: the number of its first page, which has 36 bits, and how many
// there are, in 28 bits. A page is 4 KiB here, whatever the kernel's page size is.

#include "page_set.h"

#define PAGE_BITS PAGE_SET_PAGE_BITS
#define COUNT_BITS PAGE_SET_COUNT_BITS
#define MOST ((1ULL << COUNT_BITS) - 1)

static uint64_t start_of(uint64_t word)
{
	return word >> COUNT_BITS << PAGE_BITS;
}

static uint64_t limit_of(uint64_t word)
{
	return start_of(word) + ((word & MOST) << PAGE_BITS);
}

// 0 if the range has no pages, or does not fit.
static uint64_t word_of(uint64_t start, uint64_t limit)
{
	if (start >= limit || limit > 1ULL << 48 || (limit - start) >> PAGE_BITS > MOST)
		return 0;
	return start >> PAGE_BITS << COUNT_BITS | (limit - start) >> PAGE_BITS;
}

static bool swap(uint64_t *at, uint64_t old, uint64_t new)
{
	return __atomic_compare_exchange_n(at, &old, new, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

static uint64_t load(const uint64_t *at)
{
	return __atomic_load_n(at, __ATOMIC_SEQ_CST);
}

static size_t used(const struct page_set *s)
{
	return __atomic_load_n(&s->used, __ATOMIC_SEQ_CST);
}

// Puts a word into an empty slot, and returns the slot; NULL if there is none.
static uint64_t *put(struct page_set *s, uint64_t word)
{
	for (uint64_t i = 0; i < PAGE_SET_RANGES; i++) {
		if (load(&s->ranges[i]) != 0 || !swap(&s->ranges[i], 0, word))
			continue;
		uint64_t now = used(s);
		while (now <= i && !__atomic_compare_exchange_n(&s->used, &now, i + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			;
		return &s->ranges[i];
	}
	return NULL;
}

// A word for what two ranges have that touch or overlap, 0 if these do not.
static uint64_t joined(uint64_t word, uint64_t start, uint64_t limit)
{
	uint64_t from = start_of(word), to = limit_of(word);
	if (word == 0 || from > limit || start > to)
		return 0;
	return word_of(from < start ? from : start, to > limit ? to : limit);
}

bool page_set_add(struct page_set *s, uint64_t start, uint64_t limit)
{
	uint64_t word = word_of(start, limit);
	for (size_t i = 0; word != 0 && i < used(s); i++) {
		uint64_t old = load(&s->ranges[i]), both = joined(old, start, limit);
		if (both != 0 && (both == old || swap(&s->ranges[i], old, both)))
			return true;
	}
	return word != 0 && put(s, word) != NULL;
}

// Takes a range out of one word. Returns false if the word has changed meanwhile.
static bool cut(struct page_set *s, uint64_t *at, uint64_t start, uint64_t limit)
{
	uint64_t old = load(at), lower = word_of(start_of(old), start), upper = word_of(limit, limit_of(old));
	if (start_of(old) >= limit || limit_of(old) <= start)
		return true;
	uint64_t *slot = lower != 0 && upper != 0 ? put(s, upper) : NULL;
	if (swap(at, old, lower != 0 ? lower : upper))
		return true;
	if (slot != NULL)
		swap(slot, upper, 0);
	return false;
}

void page_set_remove(struct page_set *s, uint64_t start, uint64_t limit)
{
	for (size_t i = 0; i < used(s); i++)
		while (!cut(s, &s->ranges[i], start, limit))
			;
}

bool page_set_get(const struct page_set *s, size_t range, uint64_t *start, uint64_t *limit)
{
	uint64_t word = range < used(s) ? load(&s->ranges[range]) : 0;
	*start = start_of(word);
	*limit = limit_of(word);
	return word != 0;
}

bool page_set_take(struct page_set *s, size_t range, uint64_t *start, uint64_t *limit)
{
	uint64_t word = range < used(s) ? __atomic_exchange_n(&s->ranges[range], 0, __ATOMIC_SEQ_CST) : 0;
	*start = start_of(word);
	*limit = limit_of(word);
	return word != 0;
}

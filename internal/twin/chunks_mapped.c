//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// Blocks that malloc mapped one by one. Each lies behind a header at the beginning of a page:
//
//	│ 0 │ size | 2 │ block ...       the size is that of the mapping, whole pages
//
// There is no list of them, and any program may write such words at the beginning of a page. But glibc counts them and their
// bytes, when it has mapped one, and before it unmaps one. What is found counts if it makes both numbers: looked for at the
// beginning of mappings and behind each other, and else on each page. If neither makes them, threads may be mapping or
// unmapping some, so what is found on all pages may be a few more. If it is not, or if the numbers are unknown, only mappings
// count that consist of such blocks alone.

#include "chunks.h"
#include "machine.h"

#define PAGES 4096 // that the kernel is asked for at once
#define MOST_MORE 64 // threads that are just mapping or unmapping a block: they wait while the kernel copies the process

struct search {
	struct twin_heaps *heaps;
	uint64_t known;          // heaps, before what is added
	uint64_t blocks, bytes;  // how many there are
	bool every_page, alone;  // where to look: on every page; only whole mappings
	uint64_t more;           // so many more blocks than are counted may be found
	uint64_t found, found_bytes;
	uint64_t asked;          // page that resident begins with; 0: none
	unsigned char resident[PAGES];
};

static bool is_resident(struct search *s, uint64_t at, uint64_t limit)
{
	uint64_t page = s->heaps->page;
	if (s->asked == 0 || at < s->asked || at - s->asked >= PAGES * page) {
		uint64_t size = limit - at < PAGES * page ? limit - at : PAGES * page;
		s->asked = at;
		if (system_call(SYS_mincore, (long)at, (long)size, (long)s->resident, 0) != 0)
			for (uint64_t i = 0; i < PAGES; i++)
				s->resident[i] = 0;
	}
	return (s->resident[(at - s->asked) / page] & 1) != 0;
}

// The size of the block's mapping; 0 if there is none.
static uint64_t size_at(struct search *s, uint64_t at, uint64_t limit)
{
	uint64_t word, size;
	if (!is_resident(s, at, limit) || twin_word(at) != 0)
		return 0;
	word = twin_word(at + 8);
	size = word & ~TWIN_CHUNK_FLAGS;
	return (word & TWIN_CHUNK_FLAGS) == TWIN_CHUNK_MAPPED && size % s->heaps->page == 0 && size <= limit - at ? size : 0;
}

static bool add(struct search *s, uint64_t at, uint64_t size)
{
	struct twin_heaps *h = s->heaps;
	if (h->count == TWIN_MOST_HEAPS || (!s->alone && s->found == s->blocks + s->more))
		return false;
	h->heaps[h->count++] = (struct twin_heap){.start = at, .limit = at + size, .mapped = true};
	s->found++;
	s->found_bytes += size;
	return true;
}

// Returns false if that is more than there can be.
static bool search_range(struct search *s, uint64_t start, uint64_t limit)
{
	uint64_t count = s->heaps->count, found = s->found, bytes = s->found_bytes;
	s->asked = 0;
	for (uint64_t at = start; at < limit;) {
		uint64_t size = size_at(s, at, limit);
		if (size != 0 && !add(s, at, size))
			return false;
		if (size == 0 && s->alone) {
			s->heaps->count = count;
			s->found = found;
			s->found_bytes = bytes;
		}
		if (size == 0 && !s->every_page)
			return true;
		at += size != 0 ? size : s->heaps->page;
	}
	return true;
}

// Looks in one mapping, between the heaps in it. *heap is the first heap that does not end before it.
static bool search_area(struct search *s, const struct twin_chunks_area *a, uint64_t *heap)
{
	const struct twin_heap *heaps = s->heaps->heaps;
	uint64_t at = a->start;
	while (*heap < s->known && heaps[*heap].limit <= at)
		++*heap;
	for (uint64_t i = *heap; i < s->known && heaps[i].start < a->limit; i++) {
		if (heaps[i].start > at && !search_range(s, at, heaps[i].start))
			return false;
		at = (heaps[i].limit + s->heaps->page - 1) & ~(s->heaps->page - 1);
	}
	return at >= a->limit || search_range(s, at, a->limit);
}

// Returns whether all were found.
static bool search(struct search *s)
{
	uint64_t heap = 0;
	s->heaps->count = s->known;
	s->found = s->found_bytes = 0;
	for (uint64_t i = 0; i < s->heaps->areas_count; i++)
		if (s->heaps->areas[i].anonymous && !search_area(s, &s->heaps->areas[i], &heap))
			return false;
	if (s->more != 0)
		return s->found >= s->blocks && s->found_bytes >= s->bytes;
	return s->found == s->blocks && s->found_bytes == s->bytes;
}

void twin_chunks_mapped(struct twin_heaps *h, const struct twin_malloc *m)
{
	struct search *s = pages_map(sizeof *s);
	if (s == NULL)
		return;
	*s = (struct search){.heaps = h, .known = h->count, .blocks = UINT64_MAX, .bytes = UINT64_MAX};
	if (m->mapped_blocks != 0 && twin_chunks_area_holds(h, m->mapped_blocks, 4) &&
	    twin_chunks_area_holds(h, m->mapped_bytes, 8)) {
		s->blocks = *(const volatile uint32_t *)m->mapped_blocks;
		s->bytes = twin_word(m->mapped_bytes);
	}
	bool counted = s->blocks != UINT64_MAX, all = s->blocks == 0 || (counted && search(s));
	s->every_page = true;
	for (int way = 0; way < 2 && counted && !all; way++) {
		s->more = way == 0 ? 0 : MOST_MORE;
		all = search(s);
	}
	s->every_page = false;
	s->alone = true;
	if (!all)
		(void)search(s);
	(void)pages_unmap(s, sizeof *s);
}

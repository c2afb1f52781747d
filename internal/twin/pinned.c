//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// Chunks come in order, so that one page at a time is counted: what is free on it, how many blocks touch it, and which of
// them are recorded. When a chunk begins behind it, or a free one reaches beyond it, it is shared out.

#include "pinned.h"

#include "machine.h"

#define LINKS 48          // at the beginning of a free chunk, which malloc keeps
#define AT_ONCE 4096      // pages that pagemap is read for
#define IN_MEMORY (3ULL << 62) // present, swapped

struct sharing {
	const struct twin_heaps *heaps;
	const struct twin_block *blocks; // recorded
	struct twin_found *found;
	uint64_t n, next; // the first of them that does not lie before the walk
	struct twin_pinned *sums;

	uint64_t page;              // its address
	uint64_t free, touching;    // on the page
	uint64_t *recorded, count;  // which touch it

	bool has_last; // there is a last block in use
	uint64_t last, last_page; // 1 + its index if it is recorded; the last page that it was counted on
	uint64_t run; // where the free chunks begin that end at the walk's place

	int pagemap;
	bool failed;
	uint64_t read_from, read_limit; // the addresses that entries are of
	uint64_t *entries;
};

static void read_entries(struct sharing *s, uint64_t page)
{
	uint64_t size = s->heaps->page;
	long offset = (long)(page / size * 8);
	long n = system_call(SYS_pread64, s->pagemap, (long)s->entries, AT_ONCE * 8, offset);
	s->read_from = page;
	s->read_limit = page + (n > 0 ? (uint64_t)n / 8 * size : 0);
	if (s->read_limit == page)
		s->failed = true;
}

static bool is_resident(struct sharing *s, uint64_t page)
{
	if (page < s->read_from || page >= s->read_limit)
		read_entries(s, page);
	return !s->failed && (s->entries[(page - s->read_from) / s->heaps->page] & IN_MEMORY) != 0;
}

static void share_out(struct sharing *s)
{
	if (s->free != 0 && is_resident(s, s->page)) {
		uint64_t share = s->touching == 0 ? 0 : s->free * TWIN_PINNED_UNIT / s->touching;
		for (uint64_t i = 0; i < s->count; i++)
			s->found[s->recorded[i]].pinned += share;
		s->sums->held += s->touching == 0 ? 0 : s->free;
		s->sums->recorded += share * s->count;
	}
	s->free = s->touching = s->count = 0;
}

static void go_to(struct sharing *s, uint64_t page)
{
	if (page == s->page)
		return;
	share_out(s);
	s->page = page;
}

static uint64_t page_of(const struct sharing *s, uint64_t at)
{
	return at & ~(s->heaps->page - 1);
}

// The last block in use touches the page.
static void touch(struct sharing *s, uint64_t page)
{
	go_to(s, page);
	s->touching++;
	s->last_page = page;
	if (s->last != 0)
		s->recorded[s->count++] = s->last - 1;
}

// 1 + the index of the recorded block in the chunk; 0 if there is none.
static uint64_t recorded_in(struct sharing *s, uint64_t at, uint64_t limit)
{
	while (s->next < s->n && s->blocks[s->next].at < at + TWIN_CHUNK_HEADER)
		s->next++;
	return s->next < s->n && s->blocks[s->next].at < limit ? s->next + 1 : 0;
}

// The pages between the first and the last of a block have nothing free.
static void add_used(struct sharing *s, uint64_t at, uint64_t limit)
{
	uint64_t last = page_of(s, limit + 7); // where its last word is
	s->last = recorded_in(s, at, limit);
	s->has_last = true;
	touch(s, page_of(s, at));
	if (last != s->last_page)
		touch(s, last);
}

// A part of a page that stays if the page is resident.
static void add_pinned(struct sharing *s, uint64_t at, uint64_t limit)
{
	while (at < limit) {
		uint64_t page = page_of(s, at), next = page + s->heaps->page < limit ? page + s->heaps->page : limit;
		go_to(s, page);
		if (s->has_last && page != s->last_page && at < s->run + LINKS)
			touch(s, page);
		s->free += next - at;
		at = next;
	}
}

// Free chunks beside each other are one: malloc_trim joins them. It returns their whole pages.
static void add_free(struct sharing *s, uint64_t limit)
{
	uint64_t page = s->heaps->page, from = page_of(s, s->run + LINKS + page - 1), to = page_of(s, limit);
	if (s->run == limit)
		return;
	if (from >= to) {
		add_pinned(s, s->run, limit);
		return;
	}
	add_pinned(s, s->run, from);
	add_pinned(s, to, limit);
}

static void add_heap(struct sharing *s, const struct twin_heap *h)
{
	struct twin_chunk c;
	s->has_last = false;
	s->run = h->first;
	for (bool more = twin_heap_begin(h, &c); more && c.at != h->end;) {
		more = twin_heap_next(h, &c);
		if (c.is_free || twin_heap_marked(h, c.before))
			continue;
		add_free(s, c.before);
		if (c.at - c.before >= TWIN_CHUNK_LEAST)
			add_used(s, c.before, c.at);
		s->run = c.at;
	}
	add_free(s, h->has_top ? h->limit : h->end);
	share_out(s);
}

static bool add_heaps(struct sharing *s)
{
	for (uint64_t i = 0; i < s->heaps->count && !s->failed; i++)
		if (!s->heaps->heaps[i].mapped)
			add_heap(s, &s->heaps->heaps[i]);
	return !s->failed;
}

bool twin_pinned(const struct twin_heaps *h, const struct twin_block *blocks, struct twin_found *found, uint64_t n, int pagemap,
		 struct twin_pinned *sums)
{
	// Blocks that begin on a page, end on it, or have a free chunk's links there.
	uint64_t most = h->page / TWIN_CHUNK_LEAST + 3;
	uint64_t size = (most + AT_ONCE) * sizeof(uint64_t);
	*sums = (struct twin_pinned){0};
	for (uint64_t i = 0; i < n; i++)
		found[i].pinned = 0;
	if (h->count == 0)
		return true;
	uint64_t *memory = pages_map(size);
	if (memory == NULL)
		return false;
	struct sharing s = {.heaps = h, .blocks = blocks, .found = found, .n = n, .sums = sums, .pagemap = pagemap, .page = 1};
	s.recorded = memory;
	s.entries = memory + most;
	bool done = add_heaps(&s);
	for (uint64_t i = 0; i < n && !done; i++)
		found[i].pinned = 0;
	if (!done)
		*sums = (struct twin_pinned){0};
	return pages_unmap(memory, size) && done;
}

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "nodes.h"

#include "heap.h"
#include "machine.h"
#include "sort.h"

#define UNIT 16ULL
#define NEAR_BITS 30
#define NEARS (1ULL << (48 - NEAR_BITS))
#define UNITS_OF_PAGE (TWIN_PAGE / UNIT)
#define WORDS_OF_PAGE (UNITS_OF_PAGE / 64)

static uint64_t page_down(uint64_t x)
{
	return x & ~(TWIN_PAGE - 1);
}

static uint64_t page_up(uint64_t x)
{
	return page_down(x + TWIN_PAGE - 1);
}

static void *take(struct twin_nodes *n, uint64_t size)
{
	n->taken += size;
	return pages_map(page_up(size + 1));
}

static uint64_t pages_of(const struct twin_place *a)
{
	return (a->limit - a->start) / TWIN_PAGE;
}

static bool make_room(struct twin_nodes *n)
{
	if (n->place_count < n->place_room)
		return true;
	uint64_t room = n->place_room == 0 ? 1024 : 2 * n->place_room;
	struct twin_place *more = take(n, room * sizeof *more);
	if (more == NULL)
		return false;
	for (uint64_t i = 0; i < n->place_count; i++)
		more[i] = n->places[i];
	if (n->places != NULL && !pages_unmap(n->places, page_up(n->place_room * sizeof *more + 1)))
		return false;
	n->places = more;
	n->place_room = room;
	return true;
}

struct finding {
	struct twin_nodes *nodes;
	struct twin_place *place; // of the last chunk
	bool full;
};

static void add_place(struct finding *f, uint64_t start, uint64_t limit)
{
	if (start >= limit || limit > 1ULL << 48)
		return;
	if (!make_room(f->nodes)) {
		f->full = true;
		return;
	}
	f->nodes->places[f->nodes->place_count++] = (struct twin_place){.start = page_down(start), .limit = page_up(limit)};
}

static void add_heap(void *arg, uint64_t start, uint64_t limit)
{
	add_place(arg, start, limit);
}

static void sort(struct twin_nodes *n)
{
	twin_sort(n->places, n->place_count, sizeof *n->places, offsetof(struct twin_place, start));
}

// Sorts the places; those that share a page become one.
static void join(struct twin_nodes *n)
{
	sort(n);
	uint64_t kept = 0;
	for (uint64_t i = 0; i < n->place_count; i++) {
		struct twin_place *last = kept == 0 ? NULL : &n->places[kept - 1];
		if (last == NULL || n->places[i].start >= last->limit)
			n->places[kept++] = n->places[i];
		else if (n->places[i].limit > last->limit)
			last->limit = n->places[i].limit;
	}
	n->place_count = kept;
}

// Finds the place that an address lies in, by bisection among count of them.
static struct twin_place *place_among(struct twin_place *a, uint64_t count, uint64_t address)
{
	while (count > 0) {
		uint64_t half = count / 2;
		if (address >= a[half].limit) {
			a += half + 1;
			count -= half + 1;
		} else if (address < a[half].start) {
			count = half;
		} else {
			return &a[half];
		}
	}
	return NULL;
}

static bool inside(const struct twin_place *a, uint64_t address)
{
	return a != NULL && address >= a->start && address < a->limit;
}

static uint64_t all_pages(const struct twin_nodes *n)
{
	uint64_t pages = 0;
	for (uint64_t i = 0; i < n->place_count; i++)
		pages += pages_of(&n->places[i]);
	return pages;
}

// All places share a few mappings, because a process may have only so many.
static bool take_chunk_lists(struct twin_nodes *n)
{
	uint64_t pages = all_pages(n);
	uint64_t *chunks = take(n, pages * WORDS_OF_PAGE * 8), *reached = take(n, pages * WORDS_OF_PAGE * 8);
	uint64_t *covering = take(n, pages * sizeof *covering);
	if (chunks == NULL || reached == NULL || covering == NULL)
		return false;
	for (uint64_t i = 0; i < n->place_count; i++) {
		struct twin_place *a = &n->places[i];
		a->chunks = chunks;
		a->reached = reached;
		a->covering = covering;
		chunks += pages_of(a) * WORDS_OF_PAGE;
		reached += pages_of(a) * WORDS_OF_PAGE;
		covering += pages_of(a);
	}
	return true;
}

static void add_chunk(void *arg, uint64_t user, uint64_t usable, bool is_free)
{
	struct finding *f = arg;
	if (is_free)
		return;
	if (!inside(f->place, user))
		f->place = place_among(f->nodes->places, f->nodes->place_count, user);
	struct twin_place *a = f->place;
	if (a == NULL || usable == 0 || user + usable > a->limit)
		return;
	uint64_t unit = (user - a->start) / UNIT;
	a->chunks[unit / 64] |= 1ULL << unit % 64;
	for (uint64_t page = (user - a->start) / TWIN_PAGE + 1; a->start + page * TWIN_PAGE < user + usable; page++)
		a->covering[page] = user;
	f->nodes->chunk_count++;
}

// Recorded blocks outside of the heaps: blocks whose pages follow one another closely are one place.
static bool add_others(struct twin_nodes *n)
{
	struct finding f = {.nodes = n};
	uint64_t heaps = n->place_count, start = 0, limit = 0;
	for (uint64_t i = 0; i < n->count && !f.full; i++) {
		const struct twin_block *b = &n->blocks[i];
		if (!inside(f.place, b->at))
			f.place = place_among(n->places, heaps, b->at);
		if (f.place != NULL)
			continue;
		if (start < limit && page_down(b->at) <= limit + 16 * TWIN_PAGE && place_among(n->places, heaps, limit) == NULL) {
			limit = page_up(b->at + b->size + 1);
			continue;
		}
		add_place(&f, start, limit);
		start = page_down(b->at);
		limit = page_up(b->at + b->size + 1);
	}
	add_place(&f, start, limit);
	return !f.full;
}

static bool list_blocks(struct twin_nodes *n)
{
	uint64_t block = 0;
	uint32_t *first = take(n, (all_pages(n) + n->place_count) * sizeof *first);
	if (first == NULL)
		return false;
	for (uint64_t i = 0; i < n->place_count; i++) {
		struct twin_place *a = &n->places[i];
		uint64_t pages = pages_of(a);
		a->first = first;
		first += pages + 1;
		for (uint64_t page = 0; page <= pages; page++) {
			uint64_t at = a->start + page * TWIN_PAGE;
			while (block < n->count && n->blocks[block].at + n->blocks[block].size < at)
				block++;
			a->first[page] = (uint32_t)block;
		}
	}
	return true;
}

static bool list_near(struct twin_nodes *n)
{
	n->near = take(n, (NEARS + 1) * sizeof *n->near);
	if (n->near == NULL)
		return false;
	uint64_t place = 0;
	for (uint64_t i = 0; i <= NEARS; i++) {
		while (place < n->place_count && n->places[place].limit <= i << NEAR_BITS)
			place++;
		n->near[i] = (uint32_t)place;
	}
	return true;
}

static void find_spans(struct twin_nodes *n)
{
	if (n->place_count == 0)
		return;
	uint64_t after = 0, largest = 0; // the gap is behind the place after
	for (uint64_t i = 0; i + 1 < n->place_count; i++) {
		uint64_t gap = n->places[i + 1].start - n->places[i].limit;
		if (gap > largest) {
			largest = gap;
			after = i;
		}
	}
	n->spans[0] = (struct twin_range){n->places[0].start, n->places[after].limit};
	if (largest > 0)
		n->spans[1] = (struct twin_range){n->places[after + 1].start, n->places[n->place_count - 1].limit};
	else
		n->spans[0].limit = n->places[n->place_count - 1].limit;
}

bool twin_nodes_find(struct twin_nodes *n, const struct twin_heaps *heaps, const struct twin_block *blocks, uint64_t count)
{
	struct finding f = {.nodes = n};
	n->blocks = blocks;
	n->count = count;
	twin_heaps_each(heaps, add_heap, &f);
	if (f.full)
		return false;
	join(n);
	if (!take_chunk_lists(n))
		return false;
	twin_chunks(heaps, add_chunk, &f);
	if (!add_others(n))
		return false;
	sort(n);
	n->reached = take(n, count);
	if (n->reached == NULL || !list_blocks(n) || !list_near(n))
		return false;
	find_spans(n);
	return true;
}

// Returns where the chunk begins that an address may lie in; 0 for none.
static uint64_t chunk_before(const struct twin_place *a, uint64_t address)
{
	uint64_t unit = (address - a->start) / UNIT, page = unit / UNITS_OF_PAGE;
	uint64_t word = unit / 64;
	uint64_t bits = a->chunks[word] & (~0ULL >> (63 - unit % 64));
	while (bits == 0 && word % WORDS_OF_PAGE != 0)
		bits = a->chunks[--word];
	if (bits != 0)
		return a->start + (word * 64 + 63 - (uint64_t)__builtin_clzll(bits)) * UNIT;
	return a->covering[page];
}

// Returns 1 + the index of the recorded block that an address lies in, or is the start of; 0 for none.
static uint64_t block_of(const struct twin_nodes *n, const struct twin_place *a, uint64_t address)
{
	uint64_t page = (address - a->start) / TWIN_PAGE;
	uint64_t low = a->first[page], high = a->first[page + 1];
	if (high < n->count && n->blocks[high].at <= address)
		high++;
	while (low < high) { // the first that begins behind the address
		uint64_t half = (low + high) / 2;
		if (n->blocks[half].at > address)
			high = half;
		else
			low = half + 1;
	}
	if (low == 0)
		return 0;
	const struct twin_block *b = &n->blocks[low - 1];
	return address - b->at < b->size || address == b->at ? low : 0;
}

static struct twin_place *place_of(const struct twin_nodes *n, uint64_t address)
{
	uint32_t from = n->near[address >> NEAR_BITS], to = n->near[(address >> NEAR_BITS) + 1];
	if (to < n->place_count)
		to++;
	return place_among(n->places + from, to - from, address);
}

bool twin_nodes_in_chunks(const struct twin_nodes *n, uint64_t address)
{
	const struct twin_place *a = twin_nodes_may_hold(n, address) ? place_of(n, address) : NULL;
	return a != NULL && a->chunks != NULL;
}

// The bytes of a chunk that its block has.
static uint64_t size_of(uint64_t at)
{
	uint64_t word = *(const uint64_t *)(at - 8);
	return (word & ~TWIN_CHUNK_FLAGS) - ((word & TWIN_CHUNK_MAPPED) != 0 ? TWIN_CHUNK_HEADER : 8);
}

// Returns 1 + the index of the recorded block that begins in a chunk; 0 for none. A block that malloc mapped alone begins behind the
// chunk's start if it is aligned.
static uint64_t block_in(const struct twin_nodes *n, const struct twin_place *a, uint64_t at, uint64_t size)
{
	uint64_t block = a->first[(at - a->start) / TWIN_PAGE];
	while (block < n->count && n->blocks[block].at < at)
		block++;
	return block < n->count && n->blocks[block].at - at < size ? block + 1 : 0;
}

bool twin_nodes_knows(const struct twin_nodes *n, uint64_t block)
{
	uint64_t at = n->blocks[block].at;
	const struct twin_place *a = twin_nodes_may_hold(n, at) ? place_of(n, at) : NULL;
	if (a == NULL || a->chunks == NULL)
		return a != NULL;
	uint64_t chunk = chunk_before(a, at);
	return chunk != 0 && at - chunk < size_of(chunk) && block_in(n, a, chunk, size_of(chunk)) == block + 1;
}

// malloc's lists of free chunks point to headers. What they have left in blocks that nobody has written to since may be the address of a
// header that is now behind a block: in the last word of its chunk, which the block, if it was asked to be smaller, does not have.
static bool is_header_behind(const struct twin_block *b, uint64_t at, uint64_t size, uint64_t address)
{
	return address == at + size - 8 && address - b->at >= b->size && address != b->at;
}

#define ANYWHERE (~0ULL)

// Within so many bytes from its start.
static bool reach(struct twin_nodes *n, uint64_t address, uint64_t within, struct twin_node *node)
{
	if (!twin_nodes_may_hold(n, address))
		return false;
	struct twin_place *a = place_of(n, address);
	if (a == NULL)
		return false;
	if (a->chunks != NULL) {
		uint64_t at = chunk_before(a, address);
		if (at == 0)
			return false;
		uint64_t unit = (at - a->start) / UNIT, bit = 1ULL << unit % 64;
		if ((a->reached[unit / 64] & bit) != 0)
			return false;
		uint64_t size = size_of(at);
		if (address - at >= size)
			return false;
		uint64_t block = block_in(n, a, at, size), start = block == 0 ? at : n->blocks[block - 1].at;
		if (within != ANYWHERE && address - start >= within)
			return false;
		if (block != 0 && is_header_behind(&n->blocks[block - 1], at, size, address))
			return false;
		a->reached[unit / 64] |= bit;
		*node = (struct twin_node){at, size, block};
		return true;
	}
	uint64_t block = block_of(n, a, address);
	if (block == 0 || n->reached[block - 1] != 0 || (within != ANYWHERE && address - n->blocks[block - 1].at >= within))
		return false;
	n->reached[block - 1] = 1;
	*node = (struct twin_node){n->blocks[block - 1].at, n->blocks[block - 1].size, block};
	return true;
}

bool twin_nodes_reach(struct twin_nodes *n, uint64_t address, struct twin_node *node)
{
	return reach(n, address, ANYWHERE, node);
}

bool twin_nodes_reach_tagged(struct twin_nodes *n, uint64_t address, struct twin_node *node)
{
	return reach(n, address, 8, node);
}

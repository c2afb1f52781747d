// The arenas of Go's heap and its spans, as a twin reads them. go.h has the rest, and what holds for all.
#ifndef CGOHEAP_TWIN_GO_ARENAS_H
#define CGOHEAP_TWIN_GO_ARENAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Where the Go runtime keeps its heap and its goroutines, as internal/gospans has found it, where the fields are explained and have the
// same order. All zero if that is unknown.
struct twin_go {
	uint64_t arenas, bias, lists, goroutines;
	struct {
		uint32_t start, pages, free_index, objects, bits, count, state, size, class, specials;
	} span;
	struct {
		uint32_t sp, status, id, created, start;
	} g;
	struct {
		uint32_t finalizer, cleanup, function;
	} special;
	uint64_t processors;
	bool (*readable)(void *arg, uint64_t start, uint64_t limit); // whether memory can be loaded from; NULL: all that Go points to
	void *readable_arg;
};

// Whether an address lies in an arena of Go's. Its heap and its stacks lie in arenas, and nothing of others.
bool twin_go_holds(const struct twin_go *go, uint64_t address);

#define TWIN_GO_ARENA (64ULL << 20) // bytes of an arena, which begins at a multiple of it

// Calls each for every arena, in no order. Returns false as twin_go_scan does.
bool twin_go_arenas(const struct twin_go *go, void (*each)(void *arg, uint64_t start, uint64_t limit), void *arg);

// The rest is for go*.c.

#define GO_PAGE (8ULL << 10)
#define GO_PAGES (TWIN_GO_ARENA / GO_PAGE) // of an arena
#define GO_ENTRIES (1ULL << 22)            // of the table of arenas

static inline uint64_t go_word(uint64_t at)
{
	return *(const uint64_t *)(uintptr_t)at;
}

static inline uint32_t go_half(uint64_t at)
{
	return *(const uint32_t *)(uintptr_t)at;
}

static inline uint32_t go_quarter(uint64_t at)
{
	return *(const uint16_t *)(uintptr_t)at;
}

static inline bool go_readable(const struct twin_go *go, uint64_t start, uint64_t size)
{
	return start != 0 && start % 8 == 0 && start + size >= start &&
	       (go->readable == NULL || go->readable(go->readable_arg, start, start + size));
}

// What the runtime knows of the arena with an index: the spans of its pages. 0: there is none.
static inline uint64_t go_arena(const struct twin_go *go, uint64_t index)
{
	return go->arenas == 0 || index >= GO_ENTRIES ? 0 : go_word(go->arenas + 8 * index);
}

// A slice of words, as its header at an address has it. False if it cannot be one of at most most words.
struct go_slice {
	uint64_t at, size;
};
bool go_slice(const struct twin_go *go, uint64_t header, uint64_t most, struct go_slice *slice);

// A span that is used for objects.
struct go_span {
	uint64_t at;                 // address of the runtime's structure
	uint64_t start, pages, size; // address, pages, bytes of an object
	uint32_t objects, free_index;
	uint64_t bits; // address of one bit for each object: allocated; 0: all count as allocated
};

enum go_span_kind { GO_SPAN_NONE, GO_SPAN_OBJECTS, GO_SPAN_OTHER };

// The span of the page that an address lies in, and its pages at least.
enum go_span_kind go_span(const struct twin_go *go, uint64_t address, struct go_span *span);

// The same without its objects.
enum go_span_kind go_span_around(const struct twin_go *go, uint64_t address, struct go_span *span);

// Whether a span that go_span_around has found has Go's smallest objects without pointers: maxTinySize of runtime/malloc.go.
#define GO_SMALLEST 16
static inline bool go_has_smallest(const struct twin_go *go, uint64_t span)
{
	return go->span.class != 0 && (*(const uint8_t *)(uintptr_t)(span + go->span.class) & 1) != 0 && go_word(span + go->span.size) == GO_SMALLEST;
}

// Whether an object is allocated, in a span that go_span_around has found. Reads no more than it must.
bool go_in_use(const struct twin_go *go, struct go_span *span, uint64_t object);

// Whether an object is allocated.
static inline bool go_allocated(const struct go_span *s, uint32_t object)
{
	return object < s->free_index || s->bits == 0 ||
	       (*(const uint8_t *)(uintptr_t)(s->bits + object / 8) >> object % 8 & 1) != 0;
}

#endif

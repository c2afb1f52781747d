// Interned records: the same content is the same record. Records hang in tries of their hashes: each begins with the refs of
// two more records, and the next bit of the sought hash says in which of them the search goes on. A record is linked
// where a ref is still 0, by one compare-and-swap, and stays. So no content is ever linked twice, and no thread waits.
#ifndef CGOHEAP_TRIE_H
#define CGOHEAP_TRIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "region.h"

// Asserts what every type of record must fulfil.
#define TRIE_RECORD(type)                                                                                              \
	_Static_assert(offsetof(type, next) == 0 && sizeof((type){0}.next) == 8, #type " does not begin with two refs")

// The state of a search: where the ref is that it has come to, and the bits of the hash that it has not used.
struct trie {
	uint32_t *at;
	uint64_t hash;
};

// Whether a record has this content.
typedef bool trie_same(const void *record, const void *content);

// A search that begins at one of the region's heads.
static inline struct trie trie_from(uint64_t heads, uint64_t hash)
{
	uint32_t *first = region_at(heads);
	return (struct trie){&first[hash & (cgoheap_region->heads - 1)], hash >> 32};
}

// Returns the ref of the record with the content. If there is none, returns 0, and t->at is where the record is to be linked.
static inline uint32_t trie_find(struct trie *t, trie_same *same, const void *content)
{
	uint32_t ref;
	while ((ref = __atomic_load_n(t->at, __ATOMIC_ACQUIRE)) != 0) {
		uint32_t *record = region_ref(ref);
		if (same(record, content))
			break;
		t->at = &record[t->hash & 1];
		t->hash >>= 1;
	}
	return ref;
}

// Links made, which has the content, where trie_find found nothing. If another thread linked a record with this content
// first, returns that one, and made stays unused.
static inline uint32_t trie_link(struct trie *t, uint32_t made, trie_same *same, const void *content)
{
	uint32_t other = 0;
	while (other == 0) {
		uint32_t none = 0;
		if (__atomic_compare_exchange_n(t->at, &none, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return made;
		other = trie_find(t, same, content);
	}
	return other;
}

typedef void trie_visit(void *record, const void *argument);

// Visits the record of a ref and all below it.
static inline void trie_each(uint32_t ref, trie_visit *visit, const void *argument)
{
	while (ref != 0) {
		uint32_t *record = region_ref(ref);
		visit(record, argument);
		trie_each(__atomic_load_n(&record[0], __ATOMIC_ACQUIRE), visit, argument);
		ref = __atomic_load_n(&record[1], __ATOMIC_ACQUIRE);
	}
}

#endif

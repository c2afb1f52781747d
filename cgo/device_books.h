// What must be known of blocks of devices beside their records: which context ends with them, and how often a handle is held.
//
// An entry is a key and a value. What its key begins with says what it is:
//
//	a block                  key → its owner: a context, or device_pool_of(device); 0 if it is not known
//	DEVICE_HANDLE | handle   → how many times the memory is held: by handles, and by mappings
//	DEVICE_MAPPING | address → the key of the handle that is mapped there
//
// The keys of blocks are also theirs in the live table: a device's pointers are addresses, which nothing else has in this process. Handles,
// arrays and registered memory of malloc's have keys that are no addresses.
#ifndef CGOHEAP_DEVICE_BOOKS_H
#define CGOHEAP_DEVICE_BOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "record.h"
#include "site.h"

#define DEVICE_HANDLE (1ULL << 60)
#define DEVICE_MAPPING (2ULL << 60)
#define DEVICE_ARRAY (3ULL << 60)
#define DEVICE_REGISTERED KEY_REGISTERED
#define DEVICE_TAG KEY_TAG

// The key of an opaque value.
static inline uint64_t device_key(uint64_t tag, uint64_t value)
{
	return tag | (value & ~DEVICE_TAG);
}

// The owner of blocks that stay when a context goes, until their device is reset. No context is at such an address.
static inline uint64_t device_pool_of(uint32_t device)
{
	return (uint64_t)device + 1;
}

struct device_entry {
	_Alignas(64) uint64_t key; // 0 if nothing is here
	uint64_t value;
	uint64_t size;        // of a mapping: its bytes
	uint32_t call;        // the number of the call that is about to end it; 0 for none
	struct forgotten old; // its record meanwhile
};

_Static_assert(sizeof(struct device_entry) == 64, "an entry is a cache line");

// A number for a call; never 0.
uint32_t device_number(void);

// Enters a key anew; an entry that it had is gone. Counted if there is no room.
void device_books_add(uint64_t key, uint64_t value, uint64_t size);

// Takes a key's entry out. False if it has none.
bool device_books_take(uint64_t key, uint64_t *value);

// Adds n to a key's value, and sets *value to the sum. False if it has no entry.
bool device_books_change(uint64_t key, int n, uint64_t *value);

// Marks a key's entry for a call, with the block's record: it cannot be found by its key any more. False if it has none.
bool device_books_mark(uint64_t key, uint32_t call, const struct forgotten *old);

// Keeps how many functions of drivers were looked up, in all, and have no hook; and enters it in a recording that has begun since.
void device_books_lose(uint32_t unhooked);
void device_books_begin(void);

// A search through all entries: those of a call or, if that is 0, the unmarked ones whose keys lie between from and to; and, if owners[0]
// is not 0, only blocks of these owners.
struct device_search {
	uint32_t call;
	uint64_t from, to;
	uint64_t owners[2];
	struct device_entry found; // a copy
	struct device_entry *entry;
	uint32_t generation, level, index; // what comes next
};

// Finds the next entry.
bool device_books_next(struct device_search *s);

// Finds the entry of the key from, of the call.
bool device_books_at(struct device_search *s);

// Takes the marked entry that was found out, or removes the mark.
void device_books_end(const struct device_search *s);
void device_books_unmark(const struct device_search *s);

#endif

// A set of pages, as ranges of addresses. It has no lock: any thread can change it and read it at any time, also in a signal
// handler. Where two threads change the same pages at once, either of them may be the last. Zeroes are an empty set.
#ifndef CGOHEAP_PAGE_SET_H
#define CGOHEAP_PAGE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE_SET_RANGES 1024
#define PAGE_SET_PAGE_BITS 12  // of an address in a page, whatever the kernel's page size is
#define PAGE_SET_COUNT_BITS 28 // of a word: see page_set.c

struct page_set {
	uint64_t used;                   // ranges behind these are empty
	uint64_t ranges[PAGE_SET_RANGES]; // each in one word: see page_set.c
};

// Adds the pages of a range. Returns false if there is no room for them, or if they are 1 TiB or more.
bool page_set_add(struct page_set *s, uint64_t start, uint64_t limit);

// Removes the pages of a range. If there is no room for what is left on both sides, the upper part is removed too.
void page_set_remove(struct page_set *s, uint64_t start, uint64_t limit);

// Removes a range, and passes its bounds on; false if it is empty.
bool page_set_take(struct page_set *s, size_t range, uint64_t *start, uint64_t *limit);

// The bounds of a range; false if it is empty. Ranges may overlap, and come in no order.
bool page_set_get(const struct page_set *s, size_t range, uint64_t *start, uint64_t *limit);

#endif

// A copy's page tables are new: at the first load from a page, the processor walks them and notes there that the page was used, which takes
// as long as all other loads from it. If pages are touched one after the other first, many such walks go on at once.
#ifndef CGOHEAP_TWIN_TOUCH_H
#define CGOHEAP_TWIN_TOUCH_H

#include <stdint.h>

#define TWIN_TOUCHED (256ULL << 10) // bytes that are touched before they are read

// Loads from each page from start to limit, all of which is readable.
static inline void twin_touch(uint64_t start, uint64_t limit)
{
	for (uint64_t at = start; at < limit; at += 4096)
		(void)*(const volatile char *)at;
}

#endif

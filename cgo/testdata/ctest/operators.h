// All pairs of operator new and delete, called from C.
#ifndef OPERATORS_H
#define OPERATORS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PAIRS 12

struct pair {
	const char *name;
	size_t alignment;
	int nothrow;
	void *(*make)(size_t size);
	void (*drop)(void *p, size_t size);
};

extern const struct pair pairs[PAIRS];

// The exception that make threw for this size: 1 for bad_alloc, 0 for none.
int throws(const struct pair *pair, size_t size);

// How often a new handler, which then takes itself away, was called for this size.
int handled(const struct pair *pair, size_t size);

// Defined by objects with operators of their own: how often these were called.
extern int own_news __attribute__((weak));
extern int own_deletes __attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif

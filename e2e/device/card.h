#ifndef CARD_H
#define CARD_H

#include <stddef.h>
#include <stdint.h>

// Opens the driver and makes device n's primary context the thread's. With asked, functions come from cuGetProcAddress, otherwise from dlsym.
// Returns an error of the driver's, or -1 if there is no driver, -2 if it has no function for asked.
int card_open(int n, int asked);
int card_close(int n);
int card_count(int *devices);

// The bytes of the device that are not in use.
int card_free(size_t *bytes);

// Give and take memory. Each is a site.
int card_alloc(uint64_t *p, size_t bytes);
int card_managed(uint64_t *p, size_t bytes);
int card_pinned(uint64_t *p, size_t bytes);
int card_create(uint64_t *p, size_t bytes, int n);
int card_async(uint64_t *p, size_t bytes);
int card_take(uint64_t p);
int card_take_pinned(uint64_t p);
int card_take_async(uint64_t p);
int card_release(uint64_t p);

#endif

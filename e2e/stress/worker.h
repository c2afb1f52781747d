/* Declarations that the storm's C files share. */
#ifndef STRESS_WORKER_H
#define STRESS_WORKER_H

#include <errno.h>
#include <stdbool.h>

#include "storm.h"

/* A function that keeps its own frame: calls to it and from it stay calls. */
#define SITE __attribute__((noinline, noclone))
#define KEEP_FRAME() __asm__ volatile("" ::: "memory")

bool stress_ended(void);
uint32_t stress_random(void);
void stress_count(enum event e);

/* Unless ok, prints what failed and counts a failure. */
void stress_must(bool ok, const char *what);

/* Allocates a block by call at the site, and leaves it for others. */
void stress_visit_by(uint32_t site, void *(*call)(size_t size));

#endif

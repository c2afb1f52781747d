/* A storm of calls that map memory. */
#ifndef STRESS_MAP_H
#define STRESS_MAP_H

#include <stdbool.h>

#define STRESS_PAGE 4096L
#define STRESS_MAPPERS 8
#define STRESS_SPAN 64    /* pages of the file for each call */
#define STRESS_CODES 4000 /* that a length can tell */

/* Prepares a storm, while nothing is recorded, and returns its file; -1 if there is none. */
int stress_begin_maps(void);

/* Makes so many calls, each worker in pages of its own, or all together in the same. One caller at a time for each worker. */
void stress_map(int worker, bool together, int steps);

/* Unmaps what is left of the storm. */
void stress_unmap_all(void);

#endif

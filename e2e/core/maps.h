/* Calls that map memory, one function for each. */
#include <stddef.h>

/* Maps length bytes by the call with this number, through a frame of the name that core_map_name returns. NULL if it fails. */
void *core_map(int call, size_t length);

/* The name of that function; NULL if there is none with this number. */
const char *core_map_name(int call);

/* Undoes what core_map did. Returns 0, or -1. */
int core_unmap(int call, void *p, size_t length);

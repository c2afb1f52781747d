// C++'s operator new and delete, for programs whose allocator brings its own, which do not call malloc.
#ifndef CGOHEAP_OPERATORS_H
#define CGOHEAP_OPERATORS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Finds the real operators, and which of them must be recorded. For real_find alone, once the rest of the family is found.
void operators_find(void);

// The part that only C++ can write (operators_memory.cc). What the standard wants when there is no memory: calls the
// program's handler, or throws if there is none.
void operators_out_of_memory(void);

// The same for shapes that do not throw: false if the handler threw or there is none.
bool operators_out_of_memory_nothrow(void);

// The address of libstdc++'s get_new_handler that this is linked with.
void *operators_get_new_handler(void);

#ifdef __cplusplus
}
#endif

#endif

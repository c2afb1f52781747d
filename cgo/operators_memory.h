// The part of operator new that only C++ can write.
#ifndef CGOHEAP_OPERATORS_MEMORY_H
#define CGOHEAP_OPERATORS_MEMORY_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Does what the C++ standard requires when there is no memory: calls the program's handler, or throws if there is none.
void operators_out_of_memory(void);

// The same for shapes that do not throw: false if the handler threw or there is none.
bool operators_out_of_memory_nothrow(void);

// The address of libstdc++'s get_new_handler that this is linked with.
void *operators_get_new_handler(void);

#ifdef __cplusplus
}
#endif

#endif

#include <stddef.h>
#include <stdint.h>

void *guest_malloc(size_t size);
void *guest_calls_go(uintptr_t visit, size_t size);

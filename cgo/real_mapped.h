// How the hooks of calls that map memory get what they stand before.
#ifndef CGOHEAP_REAL_MAPPED_H
#define CGOHEAP_REAL_MAPPED_H

#include <stdbool.h>

// Finds the real functions. They are in libc, or in another object that hooks them. Only real_find calls this.
void real_find_mapped(void);

// Finds brk and sbrk before the others are known, without a call of malloc. False while this object is not relocated.
bool real_find_break(void);

#endif

#include <stddef.h>
#include <stdint.h>

// Holds a block for good, by the path of that number.
void many_hold(uint64_t number, int depth, size_t size);

// Allocates blocks and frees them; at most MANY_LENT.
#define MANY_LENT 50
void many_lend(size_t size, int times);

// Runs code that brings much debug data, if that is linked in.
long many_units(void);

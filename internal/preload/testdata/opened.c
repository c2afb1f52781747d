// A library that is opened while the program runs.
#include <stdlib.h>

__attribute__((noinline)) void *sum_opened(size_t size) { return malloc(size); }

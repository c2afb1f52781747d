#pragma once

#include <stdlib.h>

// Each returns NULL, or what went wrong, which the caller frees.
char *store_open(const char *path);
char *store_round(int thread);

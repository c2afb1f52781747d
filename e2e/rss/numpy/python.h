#pragma once

#include <stdlib.h>

// Each returns -1 after an exception, which it has printed.
int python_begin(const char *script);
int python_round(int thread);

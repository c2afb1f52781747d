// Programs in which nothing can be recorded.
#ifndef PRELOAD_REFUSED_H
#define PRELOAD_REFUSED_H

#include <stdbool.h>

// Writes one line to standard error: nothing is recorded of the program with that name, why, and more of that.
void refused_say(const char *program, const char *why, const char *more);

// Whether others than the hooks get the program's calls of malloc; then it says so. The environment is as for settings_value.
bool refused_malloc(const char *program, char **environment);

#endif

#pragma once

#include <stdlib.h>

// Returns an interpreter that has the script, or NULL.
void *script_load(const char *text);

// Calls its function work, and returns -1 if that fails.
int script_round(void *state);

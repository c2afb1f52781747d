#pragma once

#include <JavaScriptCore/JavaScript.h>
#include <stdlib.h>

// Returns a virtual machine that has the script, or NULL.
JSGlobalContextRef script_load(const char *text);

// Calls its function work, and returns -1 after an exception.
int script_round(JSGlobalContextRef context);

//go:build ignore

#define _GNU_SOURCE
#include "refused.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "real.h"
#include "settings.h"

void refused_say(const char *program, const char *why, const char *more)
{
	char line[PATH_MAX + 512];
	int size = snprintf(line, sizeof line, "cgoheap: nothing is recorded of %s: %s%s\n", program, why, more);
	if (size > 0 && write(STDERR_FILENO, line, (size_t)(size < (int)sizeof line ? size : (int)sizeof line - 1)) < 0)
		errno = 0; // nobody can be told
}

// Valgrind's tools for memory and threads replace malloc behind the hooks, and preload libraries of their own beside the core's.
static bool is_valgrinds(char **environment)
{
	static const char core[] = "vgpreload_core";
	for (const char *at = settings_value("LD_PRELOAD", environment); at != NULL && (at = strstr(at, "vgpreload_")) != NULL; at++)
		if (strncmp(at, core, sizeof core - 1) != 0)
			return true;
	return false;
}

bool refused_malloc(const char *program, char **environment)
{
	const char *object;
	bool valgrinds = is_valgrinds(environment);
	enum refusal why = real_refusal(&object);
	if (valgrinds)
		refused_say(program, "valgrind takes malloc", "");
	else if (why == REFUSAL_BEHIND && object != NULL)
		refused_say(program, object, " has a malloc of its own: an allocator is linked into it, or cgoheap itself");
	else if (why != REFUSAL_NONE)
		refused_say(program, "no library has the functions of malloc", "");
	return valgrinds || why != REFUSAL_NONE;
}

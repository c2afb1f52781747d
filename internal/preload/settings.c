//go:build ignore

#define _GNU_SOURCE
#include "settings.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *settings_value(const char *variable, char **environment)
{
	size_t length = strlen(variable);
	for (char **e = environment != NULL ? environment : environ; e != NULL && *e != NULL; e++)
		if (strncmp(*e, variable, length) == 0 && (*e)[length] == '=')
			return *e + length + 1;
	return NULL;
}

bool settings_read(struct settings *s, char **environment)
{
	const char *value = settings_value(SETTINGS_VARIABLE, environment);
	int end = 0;
	if (value == NULL || sscanf(value, "parent=%lu space=%lu sample=%lu tables=%lu segment=%d:%lx settle=%lu children=%1023s go=%511s boxes=%n",
				    &s->parent, &s->space, &s->sample_bytes, &s->table_bytes, &s->segment, &s->token, &s->settle, s->children, s->go, &end) != 9)
		return false;
	value += end;
	size_t length = strlen(value);
	if (end == 0 || value[0] != '/' || length >= sizeof s->boxes)
		return false;
	memcpy(s->boxes, value, length + 1);
	return true;
}

bool settings_go(const struct settings *s, struct settings_go *go)
{
	return sscanf(s->go, "%lx,%lx,%lx,%lx,%lx,%lx,%lx,%lx,%lx,%lx,%lx", &go->device, &go->inode, &go->m, &go->text[0], &go->text[1],
		      &go->asmcgocall[0], &go->asmcgocall[1], &go->crosscall2[0], &go->crosscall2[1], &go->mstart[0], &go->mstart[1]) == 11;
}

bool settings_here(const struct settings *s)
{
	char target[64] = "";
	uint64_t space;
	if (readlink("/proc/self/ns/pid", target, sizeof target - 1) < 0 || sscanf(target, "pid:[%lu]", &space) != 1)
		return true;
	return s->space == 0 || s->space == space;
}

bool settings_follow(const struct settings *s, const char *program)
{
	size_t length = strlen(program);
	if (strcmp(s->children, "none") == 0 || strcmp(s->children, "all") == 0)
		return s->children[0] == 'a';
	for (const char *name = s->children; name != NULL; name = strchr(name, ',')) {
		name += *name == ',';
		if (strncmp(name, program, length) == 0 && (name[length] == ',' || name[length] == 0))
			return true;
	}
	return false;
}

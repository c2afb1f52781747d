#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

#include "victim.h"

void *victim_plugin_open(const char *path, int flags)
{
	return dlopen(path, RTLD_NOW | flags);
}

const char *victim_plugin_error(void)
{
	return dlerror();
}

VICTIM_SITE void *victim_plugin_call(void *plugin, const char *name, size_t size)
{
	void *(*function)(size_t) = (void *(*)(size_t))dlsym(plugin, name);
	void *block = function ? function(size) : NULL;
	VICTIM_USE(block);
	return block;
}

void *victim_plugin_find(void *plugin, const char *name)
{
	return dlsym(plugin, name);
}

VICTIM_SITE void *victim_plugin_call_found(void *found, size_t size)
{
	void *(*function)(size_t) = (void *(*)(size_t))found;
	void *block = function(size);
	VICTIM_USE(block);
	return block;
}

int victim_plugin_close(void *plugin)
{
	return dlclose(plugin);
}

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan && cgoheap_wrap

// With -Wl,--wrap there is nothing to find: the linker has bound the program's calls and ours.

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include "real.h"

bool real_resolve(const void *own)
{
	(void)own;
	return true;
}

bool real_gave_way(const volatile struct linked *family, const volatile struct linked *mapped)
{
	(void)family, (void)mapped;
	return false;
}

// Whether a dynamic loader started the program: its headers then name one.
static bool is_dynamic(void)
{
	const ElfW(Phdr) *headers = (const ElfW(Phdr) *)getauxval(AT_PHDR);
	for (unsigned long i = 0; headers != NULL && i < getauxval(AT_PHNUM); i++)
		if (headers[i].p_type == PT_INTERP)
			return true;
	return false;
}

enum refusal real_refusal(const char **object)
{
	*object = NULL;
	return is_dynamic() ? REFUSAL_DYNAMIC : REFUSAL_NONE;
}

// In a static executable, nothing shows which code defines operator new.
bool real_unseen_new(const char **object)
{
	*object = NULL;
	return false;
}

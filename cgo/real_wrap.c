//go:build linux && (amd64 || arm64) && cgo && !asan && !msan && cgoheap_wrap

// With -Wl,--wrap there is nothing to find: the linker has bound both sides.

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include "real.h"

bool real_resolve(void)
{
	return true;
}

// Whether the loader started the program: its headers name one.
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

// In a static executable, what defines operator new cannot be asked.
bool real_unseen_new(const char **object)
{
	*object = NULL;
	return false;
}

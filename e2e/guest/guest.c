#include "guest.h"

#include <stdlib.h>

#include "_cgo_export.h"

__attribute__((noinline)) void *guest_malloc(size_t size)
{
	void *volatile block = malloc(size);
	return block;
}

__attribute__((noinline)) void *guest_calls_go(uintptr_t visit, size_t size)
{
	void *volatile block = guestVisit(visit, size);
	return block;
}

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "slots.h"

#include <errno.h>

#include "pages.h"

_Static_assert(GATE_HOMES * 4096 % PAGES_LARGEST == 0, "groups are whole pages");
_Static_assert(GATE_SLOTS / GATE_HOMES <= 32, "there is a bit for each group");

static struct {
	char *at; // NULL: slots have no memory
	size_t group_bytes;
	uint32_t allowed; // a bit for each group
} slots;

static bool allow_group(uint32_t group)
{
	if (!pages_allow(slots.at + group * slots.group_bytes, slots.group_bytes))
		return false;
	__atomic_fetch_or(&slots.allowed, 1U << group, __ATOMIC_RELEASE);
	return true;
}

void *slots_map(size_t each)
{
	size_t size = GATE_SLOTS * each;
	char *at = pages_reserve(size);
	if (at == NULL)
		return NULL;
	slots.group_bytes = GATE_HOMES * each;
	__atomic_store_n(&slots.at, at, __ATOMIC_RELEASE);
	if (allow_group(0))
		return at;
	__atomic_store_n(&slots.at, NULL, __ATOMIC_RELEASE);
	pages_unmap(at, size);
	errno = ENOMEM;
	return NULL;
}

bool slots_allow(uint32_t slot)
{
	uint32_t group = slot / GATE_HOMES;
	if (__atomic_load_n(&slots.at, __ATOMIC_ACQUIRE) == NULL)
		return true;
	return (__atomic_load_n(&slots.allowed, __ATOMIC_ACQUIRE) >> group & 1) != 0 || allow_group(group);
}

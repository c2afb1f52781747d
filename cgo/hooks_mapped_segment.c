//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// shmat and shmdt: see hooks_mapped.c.
//
// How large a segment is only the kernel knows. The program need not ask it, and may run under a filter that ends it at shmctl. So of a
// segment only the first page is reported, as MAPPED_OPEN. The reader finds the rest in the kernel's list.
//
// SHM_REMAP takes away what was mapped, so what it covers must be known before the call. Without a filter shmctl can be called. Under a
// filter all that is mapped from the address on counts as "mapped, caller unknown", and the segment is too.

#define _GNU_SOURCE
#include "hooks_mapped.h"
#include "memory.h"

#include <sys/shm.h>

#if defined(CGOHEAP_WRAP) || !REAL_SANITIZED

// The size of a segment, 0 if the kernel does not say, or must not be asked.
static size_t segment_size(int segment)
{
	struct shmid_ds status;
	if (calls_may_be_filtered())
		return 0;
	return system_call(SYS_shmctl, segment, IPC_STAT, (long)&status, 0) == 0 ? status.shm_segsz : 0;
}

static void *attach(struct mapping *m, int segment, const void *at, int flags)
{
	void *p = CALL(shmat)(segment, at, flags);
	if (p != (void *)-1)
		mapping_made(m, (uintptr_t)p, (uintptr_t)p + page_size());
	return p;
}

static void *attach_over(struct mapping *m, int segment, const void *at, int flags)
{
	size_t size = segment_size(segment);
	uintptr_t start = (uintptr_t)at & ~(page_size() - 1);
	m->event.length = size;
	m->event.flags &= (uint16_t)~MAPPED_OPEN;
	mapping_claim(m, start, size != 0 && sound(start, size) ? start + whole(size) : UINTPTR_MAX);
	void *p = CALL(shmat)(segment, at, flags);
	if (p != (void *)-1 && size != 0)
		mapping_made(m, (uintptr_t)p, (uintptr_t)p + whole(size));
	else
		mapping_gone(m);
	return p;
}

static SLOW void *slow_shmat(int segment, const void *at, int flags)
{
	struct registers caller = CALLER_REGISTERS();
	if (!ready())
		return (void *)as_libc(system_call(SYS_shmat, segment, (long)at, flags, 0));
	struct mapping m;
	mapping_begin(&m, &caller, (uint32_t)segment, MAPPED_SHARED | MAPPED_SEGMENT | MAPPED_OPEN);
	void *p = ((flags & SHM_REMAP) != 0 ? attach_over : attach)(&m, segment, at, flags);
	mapping_end(&m);
	return p;
}

void *hook_shmat(int segment, const void *at, int flags)
{
	END_CALL(false, CALL(shmat)(segment, at, flags), slow_shmat(segment, at, flags));
}
OWN_CALL(own_shmat, shmat)

static SLOW int slow_shmdt(const void *at)
{
	struct registers caller = CALLER_REGISTERS();
	if (!ready())
		return (int)as_libc(system_call(SYS_shmdt, (long)at, 0, 0, 0));
	struct mapping m;
	mapping_begin(&m, &caller, 0, 0);
	mapping_announce_segment(&m, (uintptr_t)at);
	int result = CALL(shmdt)(at);
	if (result == 0)
		mapping_gone(&m);
	else
		mapping_stays(&m);
	mapping_end(&m);
	return result;
}

int hook_shmdt(const void *at)
{
	END_CALL(false, CALL(shmdt)(at), slow_shmdt(at));
}
OWN_CALL(own_shmdt, shmdt)

#endif

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// The calls that map and unmap memory (mapped_calls.h), in front of libc's. What libc maps for itself (for malloc, for the stacks
// of threads, for libraries) does not come here, nor do system calls that a program makes without libc. Go's runtime makes its own
// through libc where there is cgo.
//
// A hook may be called from anywhere: before the program is relocated, by an allocator that is being set up, from a signal
// handler, in a vforked child, by Go's runtime while it has stopped all else. When nothing is recorded it is a load, a branch and a
// jump; the hooks of mmap and munmap also compare their return address, because what Go's runtime maps is always noted. The slow
// halves work as in hooks_family.h.

#define _GNU_SOURCE
#include "hooks_mapped.h"

#if defined(CGOHEAP_WRAP) || !REAL_SANITIZED

static uint16_t flags_of(int flags)
{
	bool shared = (flags & MAP_TYPE) != MAP_PRIVATE;
	if ((flags & MAP_HUGETLB) != 0) // for the kernel, a file of its own
		return (shared ? MAPPED_SHARED : 0) | MAPPED_UNKNOWN;
	return (shared ? MAPPED_SHARED : 0) | ((flags & MAP_ANONYMOUS) == 0 ? MAPPED_FILE : 0);
}

// Whether the kernel refuses a mapping for this reason before it takes away what was there.
static bool refused_early(int flags)
{
	return errno == EBADF || errno == EACCES || errno == EEXIST || errno == EOVERFLOW ||
	       (errno == EINVAL && (flags & MAP_ANONYMOUS) != 0);
}

static SLOW void *slow_mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset)
{
	struct registers caller = CALLER_REGISTERS();
	if (!ready())
		return (void *)as_libc(system_call6(SYS_mmap, (long)at, (long)length, protection, flags, fd, offset));
	mapping_met(&caller, 0);
	struct mapping m;
	mapping_begin(&m, &caller, length, flags_of(flags));
	if ((flags & MAP_FIXED) != 0 && sound((uintptr_t)at, length))
		mapping_claim(&m, (uintptr_t)at, (uintptr_t)at + whole(length));
	void *p = CALL(mmap)(at, length, protection, flags, fd, offset);
	if (p != MAP_FAILED)
		mapping_made(&m, (uintptr_t)p, (uintptr_t)p + whole(length));
	else if (refused_early(flags))
		mapping_stays(&m);
	else
		mapping_gone(&m);
	mapping_end(&m);
	return p;
}

void *hook_mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset)
{
	END_CALL(BY_GO(0), CALL(mmap)(at, length, protection, flags, fd, offset),
		 slow_mmap(at, length, protection, flags, fd, offset));
}
OWN_CALL(own_mmap, mmap)

void *hook_mmap64(void *at, size_t length, int protection, int flags, int fd, off_t offset)
{
	END_CALL(BY_GO(0), CALL(mmap)(at, length, protection, flags, fd, offset),
		 slow_mmap(at, length, protection, flags, fd, offset));
}

static SLOW int slow_munmap(void *at, size_t length)
{
	struct registers caller = CALLER_REGISTERS();
	if (!ready())
		return (int)as_libc(system_call(SYS_munmap, (long)at, (long)length, 0, 0));
	mapping_met(&caller, 1);
	struct mapping m;
	mapping_begin(&m, &caller, 0, 0);
	if (sound((uintptr_t)at, length))
		mapping_announce(&m, (uintptr_t)at, (uintptr_t)at + whole(length));
	int result = CALL(munmap)(at, length);
	if (result == 0)
		mapping_gone(&m);
	else
		mapping_stays(&m);
	mapping_end(&m);
	return result;
}

int hook_munmap(void *at, size_t length)
{
	END_CALL(BY_GO(1), CALL(munmap)(at, length), slow_munmap(at, length));
}
OWN_CALL(own_munmap, munmap)

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

// A length of 0 maps shared memory a second time, and DONTUNMAP leaves an empty mapping behind: both take nothing away.
static bool takes_away(uintptr_t at, size_t length, int flags)
{
	return length != 0 && (flags & MREMAP_DONTUNMAP) == 0 && sound(at, length);
}

struct remapping {
	void *at;
	size_t length, to_length;
	int flags;
	void *to;
};

static void *remap(const struct remapping *r)
{
	return CALL(mremap)(r->at, r->length, r->to_length, r->flags, r->to);
}

// Whether the kernel refuses the call whatever is mapped.
static bool refused(const struct remapping *r)
{
	uintptr_t from = (uintptr_t)r->at, to = (uintptr_t)r->to, size = whole(r->to_length);
	if (from % page_size() != 0 || size == 0)
		return true;
	return (r->flags & MREMAP_FIXED) != 0 && (!sound(to, r->to_length) || (from < to + size && to < from + whole(r->length)));
}

// Only the end is unmapped.
static SLOW void *shrink(const struct registers *caller, const struct remapping *r)
{
	struct mapping m;
	mapping_begin(&m, caller, 0, 0);
	mapping_announce(&m, (uintptr_t)r->at + whole(r->to_length), (uintptr_t)r->at + whole(r->length));
	void *p = remap(r);
	if (p != MAP_FAILED)
		mapping_gone(&m);
	else
		mapping_stays(&m);
	mapping_end(&m);
	return p;
}

// Another address, or more pages at this one. A call with MREMAP_FIXED that fails may have unmapped what was there, and since Linux
// 6.17 it may have moved a part.
static void *move(const struct registers *caller, const struct remapping *r)
{
	uintptr_t from = (uintptr_t)r->at, to = (uintptr_t)r->to, size = whole(r->to_length);
	bool fixed = (r->flags & MREMAP_FIXED) != 0;
	struct mapping m, there;
	mapping_begin(&m, caller, r->to_length, MAPPED_UNKNOWN);
	there = m;
	if (takes_away(from, r->length, r->flags))
		mapping_announce(&m, from, from + whole(r->length));
	if (fixed)
		mapping_claim(&there, to, to + size);
	void *p = remap(r);
	if (p != MAP_FAILED && !m.announced) {
		mapping_made(fixed ? &there : &m, (uintptr_t)p, (uintptr_t)p + size);
		mapping_end(&m);
		return p;
	}
	if (p != MAP_FAILED)
		mapping_moved(&m, (uintptr_t)p, (uintptr_t)p + size, !fixed ? MAPPED_MOVED : size == whole(r->length) ? MAPPED_SHIFTED : MAPPED_REPLACED);
	else if (fixed)
		mapping_gone(&m);
	else
		mapping_stays(&m);
	mapping_gone(&there); // last: whoever changes the pages until the other events are reported spoils it
	mapping_end(&m);
	return p;
}

static SLOW void *slow_mremap(void *at, size_t length, size_t to_length, int flags, void *to)
{
	struct registers caller = CALLER_REGISTERS();
	const struct remapping r = {at, length, to_length, flags, to};
	if (!ready())
		return (void *)as_libc(system_call6(SYS_mremap, (long)at, (long)length, (long)to_length, flags, (long)to, 0));
	if (refused(&r))
		return remap(&r);
	bool stays = (flags & MREMAP_FIXED) == 0 && takes_away((uintptr_t)at, length, flags);
	if (stays && whole(to_length) != 0 && whole(to_length) < whole(length))
		return shrink(&caller, &r);
	if (stays && whole(to_length) == whole(length))
		return remap(&r);
	return move(&caller, &r);
}

void *hook_mremap(void *at, size_t length, size_t to_length, int flags, void *to)
{
	END_CALL(false, CALL(mremap)(at, length, to_length, flags, to), slow_mremap(at, length, to_length, flags, to));
}
OWN_CALL(own_mremap, mremap)

#ifndef CGOHEAP_WRAP
#define OWN(does, result, name, parameters) extern result own_##name parameters __attribute__((visibility("hidden")));
MAPPED_REAL(OWN)

#define LINKED(does, result, name, parameters) {(const void *)own_##name, (const void *)hook_##name},
const volatile struct linked cgoheap_linked_mapped[] = {MAPPED_REAL(LINKED){NULL, NULL}};
#endif

#endif

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// A library that is loaded before libc may have functions of the same names as libc's. libfaketime has clock_gettime, which takes a lock
// and then reads a file through stdio, and so allocates: a hook that asked there for the time would wait for the lock of its own
// thread. And its time is made up. So the time comes from where libc has it: a function in the code that the kernel maps into each
// process, the vDSO.

#define _GNU_SOURCE
#include "clock.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

typedef int reads_clock(clockid_t, struct timespec *);

static reads_clock *kernels;

// The vDSO, which lies in memory as in its file, and of which nothing is relocated.
struct vdso {
	uintptr_t start, size;
	uintptr_t bias; // what is added to its addresses
	uintptr_t dynamic;
};

static struct vdso vdso_at(uintptr_t start)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)start;
	const Elf64_Phdr *h = (const Elf64_Phdr *)(start + header->e_phoff);
	struct vdso v = {.start = start};
	for (int i = 0; i < header->e_phnum; i++) {
		if (h[i].p_type == PT_LOAD && v.size == 0) {
			v.size = h[i].p_filesz;
			v.bias = start + h[i].p_offset - h[i].p_vaddr;
		}
		if (h[i].p_type == PT_DYNAMIC)
			v.dynamic = start + h[i].p_offset;
	}
	return v;
}

static bool inside(const struct vdso *v, uintptr_t p)
{
	return p - v->start < v->size;
}

// The names follow the table of symbols, in the vDSO of every kernel.
static reads_clock *find(const struct vdso *v)
{
	uintptr_t table = 0, names = 0;
	for (const Elf64_Dyn *d = (const Elf64_Dyn *)v->dynamic; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_SYMTAB)
			table = v->bias + d->d_un.d_ptr;
		if (d->d_tag == DT_STRTAB)
			names = v->bias + d->d_un.d_ptr;
	}
	if (!inside(v, table) || !inside(v, names))
		return NULL;
	for (const Elf64_Sym *s = (const Elf64_Sym *)table; (uintptr_t)(s + 1) <= names; s++)
		if (s->st_shndx != SHN_UNDEF && inside(v, names + s->st_name) && strcmp((const char *)names + s->st_name, VDSO_CLOCK) == 0)
			return (reads_clock *)(v->bias + s->st_value);
	return NULL;
}

void clock_find(void)
{
	uintptr_t start = getauxval(AT_SYSINFO_EHDR); // 0 under valgrind
	struct vdso v = {0};
	if (start != 0)
		v = vdso_at(start);
	if (inside(&v, v.dynamic))
		__atomic_store_n(&kernels, find(&v), __ATOMIC_RELEASE);
}

uint64_t clock_read(clockid_t clock)
{
	struct timespec now = {0};
	reads_clock *read = __atomic_load_n(&kernels, __ATOMIC_ACQUIRE);
	if (read == NULL || read(clock, &now) != 0)
		system_call(SYS_clock_gettime, clock, (long)&now, 0, 0);
	return (uint64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void clock_pause(long nanoseconds)
{
	const struct timespec pause = {.tv_nsec = nanoseconds};
	system_call(SYS_nanosleep, (long)&pause, 0, 0, 0);
}

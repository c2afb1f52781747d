// These functions stand in for libc's behind the hooks of calls that map memory. They call the kernel, because sanitizers watch libc's functions, and some of their
// bookkeeping does not bear calls from several threads for neighbouring addresses.
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

void *raw_mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset)
{
	return (void *)syscall(SYS_mmap, at, length, protection, flags, fd, offset);
}

int raw_munmap(void *at, size_t length)
{
	return (int)syscall(SYS_munmap, at, length);
}

void *raw_mremap(void *at, size_t length, size_t to_length, int flags, void *to)
{
	return (void *)syscall(SYS_mremap, at, length, to_length, flags, to);
}

int raw_brk(void *limit)
{
	return brk(limit);
}

void *raw_sbrk(intptr_t more)
{
	return sbrk(more);
}

void *raw_shmat(int segment, const void *at, int flags)
{
	return (void *)syscall(SYS_shmat, segment, at, flags);
}

int raw_shmdt(const void *at)
{
	return (int)syscall(SYS_shmdt, at);
}

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include "victim.h"

static void *mapped(void *p)
{
	VICTIM_USE(p);
	return p == MAP_FAILED ? NULL : p;
}

VICTIM_SITE void *victim_map(void *at, size_t length, int shared)
{
	int flags = MAP_ANONYMOUS | (shared ? MAP_SHARED : MAP_PRIVATE) | (at != NULL ? MAP_FIXED : 0);
	return mapped(mmap(at, length, PROT_READ | PROT_WRITE, flags, -1, 0));
}

VICTIM_SITE void *victim_map_file(size_t length)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	void *p = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	return mapped(p);
}

VICTIM_SITE int victim_unmap(void *at, size_t length)
{
	int result = munmap(at, length);
	VICTIM_USE(at);
	return result;
}

VICTIM_SITE void *victim_remap(void *at, size_t length, size_t to_length)
{
	return mapped(mremap(at, length, to_length, MREMAP_MAYMOVE));
}

VICTIM_SITE void *victim_extend(size_t length)
{
	void *p = sbrk((intptr_t)length);
	return p == (void *)-1 ? NULL : p;
}

VICTIM_SITE void *victim_attach(int segment)
{
	return mapped(shmat(segment, NULL, 0));
}

VICTIM_SITE void *victim_attach_over(int segment, void *at)
{
	return mapped(shmat(segment, at, SHM_REMAP));
}

VICTIM_SITE int victim_detach(const void *at)
{
	int result = shmdt(at);
	VICTIM_USE((void *)at);
	return result;
}

static void *map_often(void *times)
{
	for (intptr_t i = (intptr_t)times; i > 0; i--) {
		void *p = victim_map(NULL, 3 << 12, 0);
		if (p == NULL || victim_unmap(p, 1 << 12) != 0 || victim_unmap((char *)p + (1 << 12), 2 << 12) != 0)
			return p;
	}
	return NULL;
}

int victim_map_on_threads(int threads, int times)
{
	pthread_t t[threads];
	int failed = 0;
	for (int i = 0; i < threads; i++)
		failed |= pthread_create(&t[i], NULL, map_often, (void *)(intptr_t)times);
	for (int i = 0; i < threads && failed == 0; i++) {
		void *left;
		failed |= pthread_join(t[i], &left) || left != NULL;
	}
	return failed;
}

/* A library whose constructor maps memory, in each way, and creates a thread: preloaded, it runs before the constructors of the
   program; opened while the program records, inside dlopen. It leaves 37 pages mapped. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#define PAGE 4096

#define MUST(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: not so: %s, errno %d\n", __FILE__, __LINE__, #condition, errno); \
			abort(); \
		} \
	} while (0)

static void *map(size_t pages)
{
	return mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void maps(void)
{
	char *p = map(3), *q;
	errno = 77;
	MUST(p != MAP_FAILED && (p[0] = p[3 * PAGE - 1] = 1));
	MUST((q = mremap(p, 3 * PAGE, 500 * PAGE, MREMAP_MAYMOVE)) != MAP_FAILED && q[0] == 1 && q[3 * PAGE - 1] == 1);
	MUST(mmap(q + PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == q + PAGE);
	MUST(munmap(q, 500 * PAGE) == 0 && errno == 77);
	MUST(munmap(q + 1, PAGE) == -1 && errno == EINVAL);
	MUST(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == EINVAL);
	MUST(mmap(NULL, (size_t)-PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == ENOMEM);
	MUST(mmap(NULL, (size_t)-1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == ENOMEM);
	MUST(mremap(q + 1, PAGE, 2 * PAGE, 0) == MAP_FAILED && errno == EINVAL);
}

static void moves_the_break(void)
{
#ifdef __GLIBC__ /* musl's sbrk fails */
	char *end = sbrk(0);
	MUST(sbrk(2 * PAGE) == end && sbrk(0) == end + 2 * PAGE);
	MUST(brk(end) == 0 && sbrk(0) == end);
#endif
}

static void shares(void)
{
	int segment = shmget(IPC_PRIVATE, 3 * PAGE, 0600);
	if (segment < 0) /* not in this container */
		return;
	char *p = shmat(segment, NULL, 0);
	MUST(p != (char *)-1 && (p[3 * PAGE - 1] = 1) && shmdt(p) == 0 && shmctl(segment, IPC_RMID, NULL) == 0);
	MUST(shmdt(p) == -1 && errno == EINVAL);
}

static void *in_a_thread(void *argument)
{
	maps();
	return argument;
}

__attribute__((constructor)) static void construct(void)
{
	pthread_t t;
	maps();
	if (getenv("CGOHEAP_MAPPED") == NULL) /* later, another thread's malloc may move it */
		moves_the_break();
	setenv("CGOHEAP_MAPPED", "1", 1);
	shares();
	MUST(pthread_create(&t, NULL, in_a_thread, &t) == 0 && pthread_join(t, NULL) == 0);
	MUST(map(37) != MAP_FAILED);
}

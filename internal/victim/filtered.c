/* A thread under a filter of system calls, which does what may make the profiler call the kernel. */

#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <unistd.h>

#include "victim.h"

enum { PAGE = 4096, SIZE = 100 };

struct filtered {
	struct sock_fprog program;
	int segment, error;
};

static int on_other_stacks(void)
{
	void *blocks[3] = {0}, *block = victim_malloc_on_signal_stack(SIZE), *other = victim_malloc_in_handler(SIZE);
	int failed = block == NULL || other == NULL;
	victim_fiber(SIZE, blocks);
	for (int i = 0; i < 3; i++)
		free(blocks[i]);
	free(block);
	free(other);
	return failed;
}

static int in_broken_chains(void)
{
	int failed = 0;
	for (int chain = VICTIM_CHAIN_WHOLE; chain <= VICTIM_CHAIN_FAR; chain++) {
		void *block = victim_broken_chain(chain, SIZE);
		failed |= block == NULL;
		free(block);
	}
	return failed;
}

static int by_mapping(int segment)
{
	char *p = victim_map(NULL, 2 * PAGE, 0), *q = victim_remap(p, 2 * PAGE, 9 * PAGE), *s = victim_attach(segment);
	if (p == NULL || q == NULL || s == NULL)
		return 1;
#ifdef __GLIBC__ /* musl's sbrk fails */
	if (sbrk(PAGE) == (void *)-1)
		return 1;
#endif
	return shmat(segment, q, SHM_REMAP) != q || victim_detach(s) != 0 || victim_detach(q) != 0 || victim_unmap(q, 9 * PAGE) != 0;
}

static void *in_thread(void *argument)
{
	struct filtered *f = argument;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &f->program) != 0) {
		f->error = errno;
		return NULL;
	}
	free(victim_recursion(200, SIZE));
	f->error = on_other_stacks() || in_broken_chains() || by_mapping(f->segment) ? EINVAL : 0;
	return NULL;
}

int victim_filtered(void *instructions, unsigned short count, int segment)
{
	struct filtered f = {{count, instructions}, segment, 0};
	pthread_t t;
	int error = pthread_create(&t, NULL, in_thread, &f);
	return error != 0 ? error : (error = pthread_join(t, NULL)) != 0 ? error : f.error;
}

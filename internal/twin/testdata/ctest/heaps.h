// glibc's malloc under test: where its variables are, without the search that the package has, and a copy of the process.
#ifndef TWIN_HEAPS_H
#define TWIN_HEAPS_H

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../machine.h"
#include "../../chunks.h"
#include "../../maps.h"
#include "check.h"

static inline uint64_t random_below(uint64_t *random, uint64_t limit)
{
	*random = *random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*random >> 33) % limit;
}

static inline void *shared_memory(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(at != MAP_FAILED);
	return at;
}

static inline struct twin_maps read_maps(void)
{
	struct twin_maps maps = {0};
	int file = (int)system_call(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY, 0);
	if (!twin_maps_read(&maps, file))
		system_call(SYS_exit_group, 3, 0, 0, 0);
	system_call(SYS_close, file, 0, 0, 0);
	return maps;
}

// Runs do in a copy of the process that no handler of libc's is run for. Returns what it ended with.
static inline int in_twin(void (*do_it)(void))
{
	long child = system_call6(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0);
	check(child >= 0);
	if (child == 0) {
		do_it();
		system_call(SYS_exit_group, 0, 0, 0, 0);
	}
	int status;
	check(waitpid((pid_t)child, &status, 0) == child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

struct found_words {
	uint64_t bytes, at[64], count;
};

static inline void find_word(void *arg, const struct twin_map *m)
{
	struct found_words *f = arg;
	bool of_libc = m->writable && !m->shared && !m->anonymous && memmem(m->name, m->name_size, "libc", 4) != NULL;
	for (uint64_t at = m->start; of_libc && at < m->limit; at += 8)
		if (*(uint64_t *)at == f->bytes && f->count < 64)
			f->at[f->count++] = at;
}

// The sum of what is mapped one by one is a word of libc's that moves with what mallinfo2 says of it.
static inline void find_mapped(struct twin_malloc *m)
{
	void *volatile first = malloc(40 << 20); // compilers leave out blocks that are not used
	struct found_words f = {.bytes = mallinfo2().hblkhd};
	struct twin_maps maps = read_maps();
	check(twin_maps_each(&maps, find_word, &f));
	check(munmap(maps.text, maps.room) == 0);
	void *volatile second = malloc(41 << 20);
	for (uint64_t i = 0; i < f.count; i++)
		if (m->mapped_bytes == 0 && *(uint64_t *)f.at[i] == mallinfo2().hblkhd) // the peak follows
			m->mapped_bytes = f.at[i];
	check(m->mapped_bytes != 0);
	for (int before = 16; before <= 20; before += 4)
		if (*(uint32_t *)(m->mapped_bytes - before) == mallinfo2().hblks)
			m->mapped_blocks = m->mapped_bytes - before;
	check(m->mapped_blocks != 0);
	free(first);
	free(second);
	check(*(uint64_t *)m->mapped_bytes == mallinfo2().hblkhd && *(uint32_t *)m->mapped_blocks == mallinfo2().hblks);
}

// The mapping with the address that the range begins with.
static inline void find_program(void *arg, const struct twin_map *m)
{
	struct twin_range *r = arg;
	if (r->limit == 0 && m->start <= r->start && r->start < m->limit)
		*r = (struct twin_range){m->start, m->limit};
}

// A block between others that no cache takes is the first of a list when it is freed, and points to it. For the main thread.
static inline struct twin_malloc glibc(void)
{
	struct twin_malloc m = {.page = (uint64_t)sysconf(_SC_PAGESIZE), .key = twin_chunks_key((void *)malloc, (void *)free)};
	uint64_t *volatile before = malloc(5000), *volatile between = malloc(5000), *volatile after = malloc(5000);
	free(between);
	m.arena = between[1] - 96;
	free(before);
	free(after);
	find_mapped(&m);
	m.program.start = (uint64_t)before;
	struct twin_maps maps = read_maps();
	check(twin_maps_each(&maps, find_program, &m.program));
	check(munmap(maps.text, maps.room) == 0);
	return m;
}

#endif

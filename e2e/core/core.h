/* The program's C: one function per way to allocate, and the ways to reach them. */
#include <stddef.h>
#include <stdint.h>

/* Allocates size bytes by the function with this number, through a frame of that name. */
void *core_allocate(int way, size_t size);

/* The name of the function that core_allocate calls; NULL if there is none with this number. */
const char *core_name(int way);

/* How many functions of a family that must throw an exception return instead. */
int core_not_thrown(void);

/* Frees what core_allocate returned for this size. */
void core_free(int way, void *p, size_t size);

/* Calls coreVisit(visit) in Go. */
void core_call_go(uintptr_t visit);

/* The same on a thread of its own. Returns 0, or an errno. */
int core_thread(uintptr_t visit);

/* Allocates count blocks on a thread that never enters Go, and frees all but keep of them. Returns 0, or an errno. */
int core_thread_alone(int way, size_t size, int count, int keep);

/* Allocates 100 MiB on four threads, three times, and moves the end of the heap. Returns 0 if all blocks were allocated and kept
 * their content. */
int core_work(void);

/* Makes the process undumpable: only root may then read its files in /proc. */
int core_undumpable(void);

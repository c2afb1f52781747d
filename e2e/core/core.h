/* The program's C: one function per way to allocate, and the ways to come to them. */
#include <stddef.h>
#include <stdint.h>

/* Allocates size bytes by the function with this number, through a frame of that name. */
void *core_allocate(int way, size_t size);

/* The name of the function that core_allocate calls; NULL if there is none with this number. */
const char *core_name(int way);

/* Frees what core_allocate gave. */
void core_free(int way, void *p);

/* Calls coreVisit(visit) in Go. */
void core_call_go(uintptr_t visit);

/* The same on a thread of its own. 0, or an errno. */
int core_thread(uintptr_t visit);

/* Allocates count blocks on a thread that never enters Go, and frees all but keep of them. 0, or an errno. */
int core_thread_alone(int way, size_t size, int count, int keep);

/* What /proc shows of a process with an owner is then its owner's and root's alone. */
int core_undumpable(void);

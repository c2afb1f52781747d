#ifndef CGOHEAP_VICTIM_H
#define CGOHEAP_VICTIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A function that keeps its own frame: calls to it and from it stay calls. */
#ifdef __clang__
#define VICTIM_SITE __attribute__((noinline))
#else
#define VICTIM_SITE __attribute__((noipa))
#endif

/* After an allocation: the block counts as used, so the call is neither optimised away nor made a tail call. */
#define VICTIM_USE(block) __asm__ volatile("" : : "r"(block) : "memory")

/* Two blocks of one site, or of a site before and after something happened. */
struct victim_pair {
	void *first, *second;
};

/* map.c: calls that map memory; at is NULL, or where to map. NULL if they fail. */
void *victim_map(void *at, size_t length, int shared);
void *victim_map_file(size_t length);
int victim_unmap(void *at, size_t length);
void *victim_remap(void *at, size_t length, size_t to_length);
int victim_map_on_threads(int threads, int times);
void *victim_extend(size_t length);
void *victim_attach(int segment);
void *victim_attach_over(int segment, void *at);
int victim_detach(const void *at);

/* malloc.c: one site for each function of the malloc family; sizes are the caller's. */
void *victim_malloc(size_t size);
void *victim_calloc(size_t count, size_t size);
void *victim_realloc(void *block, size_t size);
void *victim_reallocarray(void *block, size_t count, size_t size);
void *victim_posix_memalign(size_t alignment, size_t size);
void *victim_aligned_alloc(size_t alignment, size_t size);
void *victim_memalign(size_t alignment, size_t size);
void *victim_valloc(size_t size);
void *victim_pvalloc(size_t size);
void victim_free(void *block);
void victim_cfree(void *block);
void victim_free_sized(void *block, size_t size);
void victim_free_aligned_sized(void *block, size_t alignment, size_t size);

/* count blocks of size bytes, at least a pointer's, each holding the address of the next. */
void *victim_malloc_list(size_t count, size_t size);
void victim_free_list(void *list);

void victim_crash(void);

/* family.c: the functions of the family by number, with errno as the caller has set it. */
struct victim_way {
	const char *name, *site; /* name: of the function; NULL: there is none with this number */
	size_t alignment;        /* what a block of it is aligned to, whatever its size */
	void *(*allocate)(size_t size);
};
struct victim_way victim_way(unsigned number);

struct victim_outcome {
	void *block;
	int error; /* errno after the call */
};
struct victim_outcome victim_allocate(unsigned way, size_t size, int error);

const char *victim_release_name(unsigned number);
int victim_release(unsigned number, void *block, size_t size, int error); /* errno after the call */

size_t victim_resident(void *block, size_t size); /* bytes of the pages wholly inside that are in memory */
void *victim_past_hooks(size_t size);             /* libc's own malloc and free, NULL where they have no other names */
int victim_free_past_hooks(void *block);          /* an errno */

/* names.c: which function an address is in, among the sites of C threads and those that libraries export; or NULL. */
const char *victim_function_at(uintptr_t address);

/* libc.c: sites where libc itself is malloc's caller. */
char *victim_strdup(size_t length);                 /* length + 1 bytes */
char *victim_getline(size_t length, size_t *bytes); /* a line of that length; bytes: what getline says it holds */
char *victim_asprintf(size_t length);               /* keeps length + 1 bytes; allocates in steps of libc's choice */

/* frame.c: sites with uncommon frames. */
void *victim_alloca(size_t size);
void *victim_realigned_stack(size_t size);
void *victim_realigned_alloca(size_t size);
void *victim_frame_pointer_as_data(size_t size);

/* Calls call(a, b) while the frame pointer holds a number that is no address, as it may without -fno-omit-frame-pointer. */
void *victim_with_frame_pointer(uintptr_t number, void *(*call)(uintptr_t, uintptr_t), uintptr_t a, uintptr_t b);

void *victim_recursion(unsigned depth, size_t size); /* depth frames of itself above the one that allocates */
size_t victim_stack_of_hooks(void); /* bytes of its stack that one of malloc, free, mmap and munmap changed, at most */
void *victim_caller_of_tail_call(size_t size);       /* malloc's own caller left its frame: it cannot be seen */

/* flow.c: sites that control reaches and leaves otherwise than by call and return. */
struct flight;
void victim_flies_home(struct flight *flight);
void victim_ends_with_a_call(struct flight *flight);
void victim_jumps(struct flight *flight, unsigned depth);
void *victim_never_returns(size_t size);
struct victim_pair victim_longjmp(unsigned depth, size_t size); /* allocated below depth + 1 victim_jumps, and after */

/* jit.c: a page of code that nothing describes; at: where, 0 for anywhere. NULL: not there. */
void *victim_jit_make(uintptr_t at, int frame_pointer);
void *victim_jit_call(void *made, size_t size);
void victim_jit_drop(void *made);
/* The same anywhere, with code that begins with these bytes. */
void *victim_jit_put(const void *code, size_t size);
/* A page with the code of chain.c that takes its frame pointer as an argument, to be called by victim_made_chain. */
void *victim_jit_copy(void);
/* A page with void *(size_t), which keeps a frame pointer and calls such code, or malloc for NULL. */
void *victim_jit_around(void *made);
void *victim_jit_call_around(void *made, size_t size);

/* chain.c: an allocation in code without unwind data, by what its frame pointer is. */
enum victim_chain {
	VICTIM_CHAIN_WHOLE,
	VICTIM_CHAIN_ODD,
	VICTIM_CHAIN_UNMAPPED,
	VICTIM_CHAIN_BELOW,
	VICTIM_CHAIN_DATA,
	VICTIM_CHAIN_STACK,
	VICTIM_CHAIN_FUNCTION,
	VICTIM_CHAIN_MIDDLE,
	VICTIM_CHAIN_ZERO,
	VICTIM_CHAIN_CODE,
	VICTIM_CHAIN_FAR,
};
void *victim_broken_chain(enum victim_chain chain, size_t size);
void *victim_made_chain(void *made, enum victim_chain chain, size_t size);
int victim_in_code_without_cfi(uintptr_t address);

/* room.c: bytes of stack below malloc's caller that malloc wrote to. */
size_t victim_malloc_stack_use(size_t size);

/* fiber.c: size bytes on the fiber, one more outside, two more on it again. */
void victim_fiber_body(void);
void victim_fiber(size_t size, void **blocks);

/* malloc.c: one that the Go side calls with #cgo nocallback. */
void *victim_nocallback(size_t size);

/* cgocall.c: into Go and back; run names a Go function as exported.go does. */
void victim_call_go(uintptr_t run);
struct victim_pair victim_malloc_around_go(uintptr_t run, size_t size);

/* wander.c: allocations at the leaves of random trees of calls. */
enum { VICTIM_SEEN = 128 };
struct victim_seen {
	size_t depth;
	uintptr_t pcs[VICTIM_SEEN]; /* call sites, leaf first */
};
struct victim_wander {
	size_t size, count, most; /* of the blocks; how many there were, and how many there shall be */
	uint64_t random;
	uintptr_t run;  /* names a Go function that calls victim_wander with depth */
	unsigned depth;
	struct victim_seen *seen; /* most of them */
};
void victim_wander(struct victim_wander *w, unsigned depth);

/* slide.c: two callers of one function with the same stack pointer. */
void *victim_slide_left(size_t size);
void *victim_slide_right(size_t size);

/* crowd.c: many threads at one site, victim_pair. The number of pairs in all. */
#define VICTIM_PAIR_SIZE 77
size_t victim_pairs_on_threads(size_t threads, size_t pairs);

/* thread.c: threads that Go did not create. Each call returns when its thread is gone. */
void *victim_malloc_on_thread(size_t size);
int victim_call_go_on_thread(uintptr_t run); /* an errno */

/* threads.c */
int victim_brief_threads(unsigned count, size_t size); /* an errno */

enum { VICTIM_SLOTS = 64 };
struct victim_slots {
	void *blocks[VICTIM_SLOTS];
};
int victim_exchange(struct victim_slots *slots, unsigned threads, unsigned count, size_t size); /* an errno */

void *victim_malloc_in_tls_destructor(size_t size);
void *victim_constructed(void); /* 100 bytes that were allocated before main, once */

/* fork.c: 0 if the child ended well; what it exited with, or an errno; or minus the signal that ended it. */
struct victim_fork {
	void *block;  /* freed by the child */
	size_t size;  /* of its own blocks */
	void *region; /* what it must not touch */
	size_t region_size;
};
int victim_fork(const struct victim_fork *f);
int victim_raw_clone(const struct victim_fork *f);
int victim_vfork(size_t size, void **block); /* of the child */
int victim_spawn(void);
int victim_system(void);

/* signal.c */
void *victim_malloc_in_handler(size_t size);
void *victim_malloc_on_signal_stack(size_t size);
int victim_count_signals(int number); /* an errno; the signal has a handler, which still gets them */
unsigned long victim_counted_signals(void); /* ends the count */
int victim_replace_handler(int number, unsigned flags); /* an errno; the signal has a handler that passes nothing on, until restored */
int victim_restore_handler(void);
unsigned long victim_replaced(void);
/* An errno; a thread of C raises the signal, after it has called Go or with a stack for signals of its own, or neither. */
int victim_raise_on_thread(int number, int calls_go, int has_stack);

/* jump.c: a thread maps and unmaps until a handler has jumped out of that so many times. */
int victim_jump_out(unsigned times);

/* interrupt.c: two blocks of size each time, and how many of handler_size handlers allocated meanwhile. */
uint64_t victim_interrupted(unsigned count, size_t size, size_t handler_size);

/* cxx.cc: the doors to the C++ sites, which are in namespace victim. */
void *victim_cxx_new(size_t size);
void victim_cxx_delete(void *block);
void *victim_cxx_new_array(size_t size);
void victim_cxx_delete_array(void *block);
void *victim_cxx_make_ints(size_t count);    /* 4 bytes each */
void *victim_cxx_make_doubles(size_t count); /* 8 bytes each */
void *victim_cxx_inlined(size_t size);

struct victim_vector {
	void *vector;
	size_t growths, bytes; /* what growing allocated in all, the last of it still held */
	size_t held;           /* bytes of the last growth */
};
struct victim_vector victim_cxx_grow_vector(size_t count); /* 8-byte elements; the vector itself is static */
void victim_cxx_clear_vector(void *vector);

void *victim_cxx_string(size_t length); /* length + 1 bytes; the string itself is static */
void victim_cxx_clear_string(void *string);

/* Throws through depth frames that hold a block of that size each and release it while the stack unwinds. The pair was
   allocated before the throw and after the catch. */
struct victim_pair victim_cxx_throw_and_catch(unsigned depth, size_t size);

void *victim_cxx_thread_local(size_t size); /* allocated in the destructor of a thread_local object; for delete */

/* plugin.c: a dlopened library with a function void *name(size_t). */
void *victim_plugin_open(const char *path, int flags); /* flags: for dlopen. NULL: see victim_plugin_error */
const char *victim_plugin_error(void);
void *victim_plugin_call(void *plugin, const char *name, size_t size);
void *victim_plugin_find(void *plugin, const char *name); /* or NULL */
void *victim_plugin_call_found(void *found, size_t size); /* allocates nothing but what that does */
int victim_plugin_close(void *plugin);

/* vanish.c: a walk in code without unwind data, whose frame pointer leads to a page that is unmapped at the very moment when
   the kernel is asked about it, or is to read it. */
enum victim_vanish {
	VICTIM_VANISH_ABOVE_STACK, /* the page is just above the thread's own stack */
	VICTIM_VANISH_ABOVE_FIBER, /* just above the stack of a fiber */
	VICTIM_VANISH_BELOW_STACK, /* between the stack of a fiber and the thread's own, which the fiber's thread has above it */
	VICTIM_VANISH_G,           /* it is the g that a frame of runtime.asmcgocall seems to have saved */
	VICTIM_VANISH_OF_G         /* it is the stack of that g, which leads to an m and back: unmapped from the beginning */
};
/* Allocates size bytes there. The errno of what could not be set up; *asked is how often the kernel was asked. */
int victim_vanish(enum victim_vanish kind, size_t size, uintptr_t in_asmcgocall, unsigned *asked);
/* The same trap for another page on the calling thread, for ever. */
int victim_vanish_when_asked(void *page);

/* held.c: blocks that are lost, that lie in a global array, victim_cache, and in a list that begins in a global, victim_fifo. */
void victim_lose(size_t size);
void victim_cache_put(size_t size);
void victim_fifo_push(size_t size);
void victim_held_free(void);

/* pool.c: a pool in a chunk of malloc's, which reports what it carves by cgoheap.h. One at a time. */
void *victim_pool_open(size_t size);
void *victim_pool_carve(size_t size, const char *kind);
void victim_pool_return(void *p);

/* brought_calls.c: calls of the allocator in brought.c, which has functions of the malloc family and of jemalloc's under names with
   the prefix je_. Those that resize take p; xallocx and posix_memalign return p or a block, NULL if they fail. */
void *victim_je_malloc(void *p, size_t size);
void *victim_je_calloc(void *p, size_t size);
void *victim_je_aligned_alloc(void *p, size_t size);
void *victim_je_realloc(void *p, size_t size);
void *victim_je_mallocx(void *p, size_t size);
void *victim_je_rallocx(void *p, size_t size);
void *victim_je_xallocx(void *p, size_t size);
void *victim_je_posix_memalign(void *p, size_t size);
void victim_je_free(void *p);
void victim_je_dallocx(void *p);
void victim_je_sdallocx(void *p, size_t size);

/* filtered.c: see Filtered. An errno. */
int victim_filtered(void *instructions, unsigned short count, int segment);

/* keep.c: C threads that allocate at once, each in an arena of its own where the allocator has arenas. Then each frees all but
   every so-manieth of its blocks. */
#define VICTIM_KEEPERS 64
struct victim_keep {
	size_t threads, blocks, size, every;
};
void victim_keep(const struct victim_keep *what, void **blocks); /* threads * blocks; freed ones are NULL */
int victim_malloc_info(char *text, size_t size);                 /* glibc's own XML; -1 for another libc */
void victim_map_blocks_from(int bytes);                          /* glibc: of this size on, one by one */
void victim_allow_arenas(int n);                                 /* glibc: before the first threads */

/* deep.c: threads that write to a part of their stacks, and then wait or go on running until they are to leave. */
struct victim_deep {
	unsigned long thread; /* pthread_t */
	uintptr_t lo, hi;     /* of its stack, as libc reports them */
	size_t touch;
	int running, touched, leave;
};
int victim_deep_begin(struct victim_deep *all, unsigned n, size_t stack); /* returns when all have written */
void victim_deep_leave(struct victim_deep *all, unsigned n);
void victim_deep_join(struct victim_deep *all, unsigned n);
int victim_stacks_kept(void); /* whether libc keeps the stacks of ended threads */

#ifdef __cplusplus
}
#endif
#endif

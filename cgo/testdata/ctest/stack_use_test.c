// How much of the caller's stack the hooks take, with the longest stacks, thread names, a region in a file or none, rules that are
// found in memory at each frame, and a full gate. Of labels of goroutines, operator new and families with a prefix, the tests of
// those know (package alloc, operators_test, family_test).
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../../box.h"
#include "../../cgoheap.h"
#include "../../images.h"
#include "../../labels.h"
#include "../../lookup.h"
#include "../../memory.h"
#include "../../scratch.h"
#include "../../waker.h"
#include "mappings.h"
#include "paint.h"

void *hook_malloc(size_t size);
void *hook_calloc(size_t count, size_t size);
void *hook_realloc(void *p, size_t size);
void *hook_memalign(size_t alignment, size_t size);
void *hook_aligned_alloc(size_t alignment, size_t size);
int hook_posix_memalign(void **to, size_t alignment, size_t size);
void hook_free(void *p);
void *hook_reallocarray(void *p, size_t count, size_t size);
void *hook_valloc(size_t size);
void *hook_pvalloc(size_t size);
void hook_cfree(void *p);
void hook_free_sized(void *p, size_t size);
void hook_free_aligned_sized(void *p, size_t alignment, size_t size);

static void *p;
static void *mapping;
static int segment;

static void call_malloc(void) { p = hook_malloc(100); }
static void call_calloc(void) { p = hook_calloc(10, 10); }
static void call_memalign(void) { p = hook_memalign(64, 100); }
static void call_aligned_alloc(void) { p = hook_aligned_alloc(64, 128); }
static void call_posix_memalign(void) { check(hook_posix_memalign(&p, 64, 100) == 0); }
static void call_realloc(void) { p = hook_realloc(p, 5000); }
static void call_free(void) { hook_free(p); }
static void call_reallocarray(void) { p = hook_reallocarray(p, 100, 100); }
static void call_valloc(void) { p = hook_valloc(100); }
static void call_pvalloc(void) { p = hook_pvalloc(100); }
static void call_cfree(void) { hook_cfree(p); }
static void call_free_sized(void) { hook_free_sized(p, PAGE); }
static void call_free_aligned_sized(void) { hook_free_aligned_sized(p, 64, 128); }
static void call_report(void) { cgoheap_record_allocated(&mapping, 100, "a kind"); cgoheap_record_freed(&mapping); }
static void call_mmap(void) { mapping = hook_mmap(NULL, 8 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
static void call_mmap_over(void) { hook_mmap(mapping, 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0); }
static void call_cut(void) { check(hook_munmap((char *)mapping + 3 * PAGE, PAGE) == 0); }
static void call_mremap(void) { mapping = hook_mremap(mapping, PAGE, 9 * PAGE, MREMAP_MAYMOVE, NULL); }
static void call_shift(void) { hook_mremap(mapping, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, (char *)mapping + 4 * PAGE); }
static void call_shrink(void) { check(hook_mremap((char *)mapping + 5 * PAGE, 3 * PAGE, PAGE, 0, NULL) != MAP_FAILED); }
static void call_munmap(void) { check(hook_munmap(mapping, 9 * PAGE) == 0); }
static void call_sbrk(void) { check(hook_sbrk(PAGE) != (void *)-1); }
static void call_brk(void) { check(hook_brk((char *)sbrk(0) + PAGE) == 0); }
static void call_shmat(void) { mapping = hook_shmat(segment, NULL, 0); }
static void call_shmat_over(void) { mapping = hook_shmat(segment, mapping, SHM_REMAP); }
static void call_shmdt(void) { check(hook_shmdt(mapping) == 0); }

#define MEASURE(name) measure(#name, call_##name)

static void attach(void)
{
	if ((segment = shmget(IPC_PRIVATE, PAGE, IPC_CREAT | 0600)) < 0)
		return;
	MEASURE(shmat);
	MEASURE(shmat_over);
	MEASURE(shmdt);
	shmctl(segment, IPC_RMID, NULL);
}

static __attribute__((noinline)) void call_all(void)
{
	MEASURE(malloc);
	MEASURE(realloc);
	MEASURE(free);
	p = malloc(100);
	MEASURE(free);
	MEASURE(report);
	MEASURE(calloc);
	MEASURE(free);
	MEASURE(memalign);
	MEASURE(realloc);
	MEASURE(free);
	MEASURE(aligned_alloc);
	MEASURE(free_aligned_sized);
	MEASURE(posix_memalign);
	MEASURE(reallocarray);
	MEASURE(cfree);
	MEASURE(valloc);
	MEASURE(free);
	MEASURE(pvalloc);
	MEASURE(free_sized);
	MEASURE(mmap);
	MEASURE(mmap_over);
	MEASURE(cut);
	MEASURE(mremap);
	MEASURE(shift);
	MEASURE(shrink);
	MEASURE(munmap);
	MEASURE(sbrk);
	MEASURE(brk);
	attach();
}

// An index of all loaded files, none of which has rows.
static struct loaded_image images[64];
static size_t image_count;

static const struct image *image_at(uintptr_t bias)
{
	for (size_t i = 0; i < image_count; i++)
		if (images[i].bias == bias)
			return &images[i].image;
	return NULL;
}

static int add_ranges(struct dl_phdr_info *object, size_t size, void *to)
{
	(void)size;
	struct index *index = to;
	const struct image *image = image_at(object->dlpi_addr);
	for (int i = 0; i < object->dlpi_phnum && image != NULL && image->eh_frame_hdr != 0; i++) {
		const ElfW(Phdr) *h = &object->dlpi_phdr[i];
		uintptr_t start = object->dlpi_addr + h->p_vaddr;
		if (h->p_type == PT_LOAD && (h->p_flags & PF_X))
			index->ranges[index->count++] = (struct range){.start = start, .limit = start + h->p_memsz, .base = start, .module = 1,
				.data_start = image->start, .data_limit = image->limit, .eh_frame_hdr = image->eh_frame_hdr};
	}
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct range *r = a, *s = b;
	return r->start < s->start ? -1 : r->start > s->start;
}

static void publish(void)
{
	uint64_t at = region_reserve(sizeof(struct index) + 64 * sizeof(struct range));
	struct index *index = region_at(at);
	index->number = 1;
	index->cache = region_reserve(CACHE_ENTRIES * sizeof(struct cache_entry));
	image_count = images_list(images, 64);
	dl_iterate_phdr(add_ranges, index);
	qsort(index->ranges, index->count, sizeof *index->ranges, by_address);
	cgoheap_publish(at);
}

static void begin(struct region_file file)
{
	struct options o = {.file = file, .table_bytes = 64 << 20, .sample_bytes = 1, .seed = 1, .max_depth = SCRATCH_FRAMES, .thread_names = true};
	check(mapping_find_go(&(struct go_calls){go_mmap, go_munmap, other_mmap}));
	check(cgoheap_prepare(&o) == 0);
	publish();
	cgoheap_start();
	deepest = 0;
}

static void expect_little(void)
{
	printf("# %zu bytes of stack, in %s\n", deepest, deepest_in);
	check(deepest <= HOOK_STACK);
}

// What the deepest work took of a slot's own stack.
static void expect_room(void)
{
	size_t most = 0;
	for (uint32_t i = 0; i < GATE_SLOTS; i++) {
		const struct room *r = &scratch_of(i)->room;
		size_t at = 0;
		while (i < GATE_HOMES && at < sizeof r->stack && r->stack[at] == 0)
			at++;
		most = i < GATE_HOMES && sizeof r->stack - at > most ? sizeof r->stack - at : most;
		check(!r->taken);
	}
	printf("# %zu bytes of a slot's own\n", most);
	check(most > 1000 && most <= ROOM_BYTES / 2);
}

static void *run_all(void *unused)
{
	call_all();
	call_all();
	return unused;
}

static void on_a_thread(void)
{
	pthread_t thread;
	check(pthread_create(&thread, NULL, run_all, NULL) == 0 && pthread_join(thread, NULL) == 0);
}

static void in_memory(void)
{
	begin((struct region_file){0});
	on_a_thread();
	call_all();
	expect_little();
	expect_room();
	check(cgoheap_counted(COUNT_ROOT) > 0 && cgoheap_counted(COUNT_NO_ROOM) == 0);
	check(cgoheap_stop());
}

static void in_a_file(void)
{
	char name[] = "/dev/shm/stack-use-XXXXXX";
	struct stat s;
	int file = mkstemp(name);
	check(file >= 0 && ftruncate(file, 64 << 20) == 0 && fstat(file, &s) == 0);
	void *pages = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	check(pages != MAP_FAILED);
	begin((struct region_file){(uintptr_t)pages, name, s.st_dev, s.st_ino});
	on_a_thread();
	expect_little();
	check(cgoheap_stop() && unlink(name) == 0);
	close(file);
}

static void in_a_full_gate(void)
{
	static struct pass passes[GATE_SLOTS];
	begin((struct region_file){0});
	for (int i = 0; i < GATE_SLOTS; i++)
		check(gate_enter(&passes[i], cgoheap_generation));
	call_all();
	expect_little();
	for (int i = 0; i < GATE_SLOTS; i++)
		gate_leave(passes[i]);
	check(cgoheap_stop());
}

static void in_a_child(void)
{
	begin((struct region_file){0});
	pid_t child = fork();
	if (child == 0) {
		call_all();
		_exit(deepest <= HOOK_STACK ? 0 : 1);
	}
	int status;
	check(child > 0 && waitpid(child, &status, 0) == child && status == 0);
	check(cgoheap_stop());
}

static void handler(int signal)
{
	(void)signal;
	call_all();
}

static char signal_stack[64 << 10];

static void on_a_signal_stack(void)
{
	stack_t stack = {.ss_sp = signal_stack, .ss_size = sizeof signal_stack}, none = {.ss_flags = SS_DISABLE};
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
	begin((struct region_file){0});
	check(sigaltstack(&stack, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0 && raise(SIGUSR1) == 0 && sigaltstack(&none, NULL) == 0);
	expect_little();
	check(cgoheap_stop());
}

// Calls with few bytes left above an address, and returns whether the byte below it is as it was.
static __attribute__((noinline)) bool call_near(char *bottom, void (*call)(void))
{
	char more[64];
	__asm__ volatile("" : : "r"(more) : "memory");
	if (stack_pointer() - (uintptr_t)bottom > HOOK_STACK - 64)
		return call_near(bottom, call) & (more[0] == more[0]);
	bottom[-1] = PAINT;
	call();
	return bottom[-1] == PAINT;
}

static bool kept;
static char narrow[512 << 10]; // more than the least that any libc takes

static void *call_on_narrow(void *bottom)
{
	kept = call_near(bottom, call_malloc) && call_near(bottom, call_mmap);
	return NULL;
}

static void handle_on_narrow(int signal)
{
	(void)signal;
	call_on_narrow(signal_stack + 1);
}

// A thread's own stack, without a guard page, and a signal stack.
static void little_left(void)
{
	pthread_t thread;
	pthread_attr_t attributes;
	begin((struct region_file){0});
	check(pthread_attr_init(&attributes) == 0 && pthread_attr_setstack(&attributes, narrow + 1024, sizeof narrow - 1024) == 0);
	check(pthread_create(&thread, &attributes, call_on_narrow, narrow + 1024) == 0 && pthread_join(thread, NULL) == 0);
	check(kept && cgoheap_counted(COUNT_NO_ROOM) == 2);
	stack_t stack = {.ss_sp = signal_stack + 1, .ss_size = sizeof signal_stack - 1}, none = {.ss_flags = SS_DISABLE};
	struct sigaction action = {.sa_handler = handle_on_narrow, .sa_flags = SA_ONSTACK};
	check(sigaltstack(&stack, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0 && raise(SIGUSR1) == 0 && sigaltstack(&none, NULL) == 0);
	check(kept && cgoheap_counted(COUNT_NO_ROOM) == 4);
	expect(2, 200, 2, 200);
	check(cgoheap_stop());
}

int main(void)
{
	run("hooks take at most 1536 bytes of stack", in_memory);
	run("the same with the region in a file", in_a_file);
	run("the same in a full gate", in_a_full_gate);
	run("the same in a child", in_a_child);
	run("the same on a signal stack", on_a_signal_stack);
	run("where less is left of a stack, nothing is walked, and what lies below stays", little_left);
}

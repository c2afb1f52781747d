#include <stddef.h>
#include <stdint.h>

enum { VARIABLES = 14, PER_THREAD = 3 };

extern void *variables[VARIABLES];

struct worker {
	char name[16];
	void *on_stack, *thread_local_one, *thread_local_array, *of_library;
	uintptr_t control;
	unsigned key;
	void *key_value;
};

void find_variables(void);
void *open_library(const char *path);
void *from_library(void *library, int which);
int start_worker(struct worker *w, void *library);
void *queue_push(size_t size);
void *registry_grow(size_t size);
void *arena_new(size_t size);
void *own_thread_local(void);

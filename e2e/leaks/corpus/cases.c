#include "trial.h"

#define CASES(CASE) \
	CASE(singly) CASE(lists) CASE(rings) CASE(trees) CASE(stale) \
	CASE(thread_stack) CASE(thread_local_storage) CASE(thread_specific) \
	CASE(arenas) CASE(interior) CASE(tagged) CASE(out_of_sight) \
	CASE(slabs) CASE(pooled) CASE(layers) CASE(compiled_code) CASE(growing_file) CASE(copied_library) \
	CASE(queues) CASE(watched) CASE(small_headers) CASE(family) CASE(large) CASE(threads_arena) CASE(freed) CASE(unwritten) \
	CASE(statics) CASE(strings_in_static) CASE(objects) CASE(owners) CASE(caches)

#define DECLARED(name) void name(void);
CASES(DECLARED)

#define ROW(name) {#name, name},
const struct trial_case trial_cases[] = {CASES(ROW){0}};

/* Blocks for the cases in Go. */
#include <stddef.h>

enum { GOS_SIZE = 8000 };

#define GOS_BLOCKS(BLOCK) \
	BLOCK(lost_with_object) BLOCK(kept_by_field) \
	BLOCK(lost_with_uintptr) BLOCK(kept_as_uintptr) \
	BLOCK(lost_from_map_of_go) BLOCK(kept_by_map) BLOCK(kept_by_closure) BLOCK(kept_in_cycle) \
	BLOCK(kept_by_finalizer) BLOCK(kept_by_pending_finalizer) BLOCK(freed_by_finalizer) \
	BLOCK(kept_by_cleanup) BLOCK(kept_by_pending_cleanup) BLOCK(freed_by_cleanup) BLOCK(lost_past_finalizer) \
	BLOCK(kept_by_goroutine) BLOCK(lost_with_goroutine) \
	BLOCK(kept_in_channel) BLOCK(lost_from_channel) BLOCK(kept_by_session) BLOCK(lost_by_session) \
	BLOCK(kept_by_small) BLOCK(linked_beside_number) BLOCK(kept_by_small_cycle) BLOCK(linked_beside_cycle)

#define GOS_DECLARED(name) void *name(void);
GOS_BLOCKS(GOS_DECLARED)

/* A type of which Go knows nothing: an object with a pointer to it has none for Go. */
struct opaque;

/* A list that nothing points to: the address of its first block, with all bits inverted. */
size_t inverse_of_list(void);

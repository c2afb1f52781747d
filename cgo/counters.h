// All counters of the C code in one list. The enums, the length of arrays and what Go prints come from it.
#ifndef CGOHEAP_COUNTERS_H
#define CGOHEAP_COUNTERS_H

#include <stdbool.h>

// A row is the enumerator without COUNT_, the counter's name, LOSS if a counter above 0 means that the profile lacks
// something, and a sentence for a person. Each reason why a walk ended is also an enumerator of its own, with END_.
#define WALK_ENDS(X) \
	X(ROOT, "stacks_complete", FACT, \
		"stacks walked to the entry of their thread or goroutine") \
	X(DEPTH, "stacks_cut_depth", LOSS, \
		"stacks with more frames than are kept; the outermost are missing") \
	X(NO_MODULE, "stacks_cut_no_module", LOSS, \
		"stacks that end in code of a library that was not known yet") \
	X(NO_UNWIND, "stacks_cut_no_unwind_data", LOSS, \
		"stacks that end in code without unwind data, whose frame pointer leads nowhere") \
	X(INEXPRESSIBLE, "stacks_cut_inexpressible", LOSS, \
		"stacks that end in code whose unwind data no row can express") \
	X(NO_FP, "stacks_cut_no_frame_pointer", LOSS, \
		"stacks that end where a frame pointer was needed and had not been saved") \
	X(UNREADABLE, "stacks_cut_unreadable", LOSS, \
		"stacks that end because the next frame could not be read") \
	X(BACKWARDS, "stacks_cut_backwards", LOSS, \
		"stacks that end because the next frame was not above the last") \
	X(NO_JOIN, "stacks_cut_no_join", LOSS, \
		"stacks that end at the call from Go, because this Go runtime was not recognised") \
	X(GO_FRAME, "stacks_cut_go_frame", LOSS, \
		"stacks that end in a Go frame that leads nowhere") \
	X(STOPPED, "stacks_cut_stopped", LOSS, \
		"stacks that were not walked because the recording ended") \
	X(NO_FILE, "stacks_cut_no_file", LOSS, \
		"stacks that end in code of no loaded file, such as code made at run time that keeps no frame pointer") \
	X(NO_ROOM, "stacks_cut_no_room", LOSS, \
		"stacks that were not walked because their thread had less than 1536 bytes of stack left")

#define COUNTERS(X) \
	X(SAMPLES, "samples", FACT, \
		"blocks that were sampled; their sizes are those that the program asked for, without what the allocator " \
		"adds") \
	X(FREES, "frees", FACT, \
		"sampled blocks that were freed") \
	X(STACKS, "stacks", FACT, \
		"different stacks") \
	X(SITES, "sites", FACT, \
		"different stacks and block sizes") \
	X(LIVE, "live", FACT, \
		"sampled blocks in use") \
	WALK_ENDS(X) \
	X(LOST_STACK, "lost_stack_table_full", LOSS, \
		"samples dropped because the tables had no room for their stack") \
	X(LOST_SITE, "lost_site_table_full", LOSS, \
		"samples dropped because the tables had no room for their site") \
	X(LOST_LIVE, "lost_live_table_full", LOSS, \
		"sampled blocks counted as allocated but not as in use, because the tables were full") \
	X(MIXED, "sizes_mixed", FACT, \
		"samples whose stack has too many block sizes to keep them apart; their weights are right") \
	X(UNSETTLED, "snapshots_unsettled", LOSS, \
		"snapshots that are older than asked for, because a thread was stopped while recording") \
	X(WAKES, "module_wakes", FACT, \
		"times that a sample found that libraries had come or gone, and asked for a look at the loaded files") \
	X(PEAK_INEXACT, "peak_inexact", LOSS, \
		"moments that may have been a peak and were passed over, because a thread was stopped while counting") \
	X(LOST_LIFETIME, "lost_lifetime_table_full", LOSS, \
		"freed blocks whose lifetime was not kept, because the tables were full") \
	X(LABEL_SETS, "label_sets", FACT, \
		"different sets of labels") \
	X(LOST_LABELS, "lost_labels", LOSS, \
		"samples without their labels, because there were too many sets of labels or the tables were full") \
	X(LABELS_CUT, "labels_cut", LOSS, \
		"labels that were too long, and were cut or left out") \
	X(UNSEEN, "frees_unseen", LOSS, \
		"blocks that were called in use until their address was allocated again, because they were freed past the " \
		"hooks") \
	X(UNBOUNDED, "stacks_unbounded", FACT, \
		"stacks of threads whose bounds libc does not reveal; the kernel copies what a walk reads of them, which " \
		"takes longer") \
	X(LOST_GATE, "lost_gate_full", LOSS, \
		"events that were not recorded, because too many threads were stopped while recording: allocations of " \
		"sampled blocks, and frees of what may be one") \
	X(LOST_CARRY, "lost_carry", LOSS, \
		"sums of what was allocated or freed that are too small by 2^48 blocks or 2^60 bytes, because more sums " \
		"outgrew 64 bits than can be kept") \
	X(FREES_LOST, "frees_lost", LOSS, \
		"sampled blocks whose free was among those events: they count as in use until their address is allocated " \
		"or freed again") \
	X(LOST_MAPPED, "lost_mapped", LOSS, \
		"calls that map or unmap memory and were not recorded, because the tables were full or too many threads were " \
		"stopped while recording; who mapped that memory is unknown") \
	X(FREED_IN_USE, "freed_in_use", LOSS, \
		"sampled blocks that were freed and count as in use now, because their free was not recorded") \
	X(LOST_DEVICE, "lost_device_books_full", LOSS, \
		"blocks of devices, and mappings of such, whose end will not be noticed if nothing frees them by name, because the " \
		"tables were full") \
	X(LOST_DRIVER, "lost_drivers", LOSS, \
		"times that a function of CUDA's driver was looked up and its calls are not recorded, because more copies of the " \
		"driver are or were loaded than can be told apart")

#define END_NAME(id, name, loss, sentence) END_##id,
#define COUNT_NAME(id, name, loss, sentence) COUNT_##id,

enum end { WALK_ENDS(END_NAME) ENDS };

enum counter { COUNTERS(COUNT_NAME) COUNTS, COUNT_END = COUNT_ROOT }; // COUNT_END + e counts the walks that end e stopped

#undef END_NAME
#undef COUNT_NAME

_Static_assert(END_ROOT == 0 && (int)COUNT_END + ENDS == (int)COUNT_LOST_STACK, "the ends are counted side by side");

// The text of a counter, for a person.
struct counter_text {
	const char *name, *sentence;
	bool loss;
};

extern const struct counter_text cgoheap_counters[COUNTS];

#endif

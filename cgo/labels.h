// Labels: what tells the samples of one stack apart. A goroutine's are those that runtime/pprof.Do set; a thread's is its
// name. Both are asked for, because each set makes sites of its own.
#ifndef CGOHEAP_LABELS_H
#define CGOHEAP_LABELS_H

#include <stddef.h>
#include <stdint.h>

#include "memory.h"

#define LABELS_BYTES 1024   // of a set's entries; what does not fit is left out
#define LABEL_KEY_BYTES 64  // longer keys and texts are cut
#define LABEL_TEXT_BYTES 256
#define LABELS_NONE UINT32_MAX
#define LABEL_SETS 4096     // more are not kept, and their samples have no labels

// Which labels samples get. Written while stopped.
struct label_options {
	uint32_t goroutine_offset; // of the pointer to the labels in the runtime's g; 0: goroutines have none
	uint32_t thread_names;
};

extern struct label_options cgoheap_labels;

// Ref of the labels that apply to the calling thread, which runs for the goroutine g or, if that is 0, for none. 0 where
// there are none, or no room.
uint32_t labels_now(struct memory *m, uintptr_t g);

// Writes the labels of the goroutine g, which must be the one that the calling thread runs for, as entries, LABELS_BYTES at
// most. Their size; LABELS_NONE if they are not where they should be.
uint32_t labels_read(struct memory *m, uintptr_t g, char *entries);

// Ref of the set with these entries, made if need be; 0 when there are too many or the region is full.
uint32_t labels_intern(const char *entries, uint32_t size);

// The offset of the one word of g that has this value; 0 if there is none or more than one.
uint32_t labels_find(uintptr_t g, uintptr_t value);

#endif

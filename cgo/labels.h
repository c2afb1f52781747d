// Labels distinguish samples of one stack. A goroutine's labels are those that runtime/pprof.Do set; a thread's label
// is its name. Both are optional, because each set of labels makes separate sites.
#ifndef CGOHEAP_LABELS_H
#define CGOHEAP_LABELS_H

#include <stddef.h>
#include <stdint.h>

#include "memory.h"

#define LABELS_BYTES 1024   // of a set's entries; labels that do not fit are left out
#define LABEL_KEY_BYTES 64  // longer keys are cut, and longer texts
#define LABEL_TEXT_BYTES 256
#define LABELS_NONE UINT32_MAX
#define LABEL_SETS 4096     // more sets are not kept, and their samples have no labels

// An interned set of labels. Written once, then linked. Entries follow each other: struct label, key, text.
struct labels {
	uint32_t next[2];
	uint32_t size; // bytes of entries
	uint32_t tag;  // of their hash
	char entries[];
};

struct label {
	uint16_t key_size, text_size;
};

// Labels that come from the calling thread.
#define LABEL_NAME 1 // its name
#define LABEL_KIND 2 // what the program says of the block that the thread reports (cgoheap.c)

// The labels that samples get. They are set only while nothing is recorded, but for LABEL_KIND, which the first block with a kind adds.
struct label_options {
	uint32_t goroutine_offset; // of the pointer to the labels in the runtime's g; 0: goroutines have none
	uint32_t of_thread;
};

extern struct label_options cgoheap_labels;

// Returns the ref of the labels of the calling thread, which runs for the goroutine g or, if that is 0, for none. 0 if
// there are no labels, or no room. Gathers them in LABELS_BYTES at entries.
uint32_t labels_now(struct memory *m, uintptr_t g, char *entries);

// Writes the labels of the goroutine g as entries, at most LABELS_BYTES. The calling thread must run for g. Returns
// their size, or LABELS_NONE if the labels are not where they should be.
uint32_t labels_read(struct memory *m, uintptr_t g, char *entries);

// Returns the ref of the set with these entries; makes it if needed. 0 when there are too many sets or the region is full.
uint32_t labels_intern(const char *entries, uint32_t size);

// The offset of the one word of g that has this value; 0 if there is none or more than one.
uint32_t labels_find(uintptr_t g, uintptr_t value);

#endif

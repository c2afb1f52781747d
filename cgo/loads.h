// How a hook sees that the loaded libraries have changed since an index of them was made. See loads.c.
#ifndef CGOHEAP_LOADS_H
#define CGOHEAP_LOADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOADS_WORDS 8

// Words of the loader's, all of which, as far as is known, count the libraries that it has loaded.
struct loads {
	struct load {
		const uint64_t *at; // NULL after the last
		uint64_t value;
	} words[LOADS_WORDS];
	uint64_t count; // of libraries loaded until now, as the loader says
};

// Whether a library has been loaded since l was read. Never if no word is known.
static inline bool loads_since(const struct loads *l)
{
	for (int i = 0; i < LOADS_WORDS && l->words[i].at != NULL; i++)
		if (__atomic_load_n(l->words[i].at, __ATOMIC_ACQUIRE) != l->words[i].value)
			return true;
	return false;
}

// Reads the words. Takes the loader's locks: not for the hooks. One caller at a time.
void loads_read(struct loads *l);

// The difference between run time and ELF addresses of the libraries that cannot be unloaded: how many there are, which
// may be more than max. All that were loaded before main, if this code is the executable's, otherwise only the executable.
size_t loads_forever(uint64_t *biases, size_t max);

#endif

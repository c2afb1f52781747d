// How a hook sees that the loaded libraries have changed since an index of them was made. See loads.c.
#ifndef CGOHEAP_LOADS_H
#define CGOHEAP_LOADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hash.h"

#define LOADS_WORDS 8

// Words of the loader's data that, by all evidence, count the libraries that it has loaded, or those that are still loaded.
struct loads {
	struct load {
		const uint64_t *at; // NULL after the last
		uint64_t value;
	} words[LOADS_WORDS];
	uint64_t count; // of libraries loaded until now, as the loader reports
	int adds;       // how many of the words, from the first on, count libraries ever loaded
};

static inline bool loads_changed(const struct load *word)
{
	return __atomic_load_n(word->at, __ATOMIC_ACQUIRE) != word->value;
}

// Whether no library has been loaded since l was read: false also if no such word is known.
static inline bool loads_none_since(const struct loads *l)
{
	for (int i = 0; i < l->adds; i++)
		if (loads_changed(&l->words[i]))
			return false;
	return l->adds > 0;
}

// Whether a library has been loaded or closed since l was read. Never if no word is known.
static inline bool loads_since(const struct loads *l)
{
	for (int i = 0; i < LOADS_WORDS && l->words[i].at != NULL; i++)
		if (loads_changed(&l->words[i]))
			return true;
	return false;
}

// A number that stays the same as long as no library is loaded or closed; 0 if no such word is known.
static inline uint64_t loads_now(const struct loads *l)
{
	uint64_t number = 1;
	if (l->adds == 0)
		return 0;
	for (int i = 0; i < LOADS_WORDS && l->words[i].at != NULL; i++)
		number = mix64(number ^ __atomic_load_n(l->words[i].at, __ATOMIC_ACQUIRE));
	return number | 1;
}

// The value of loads_now when l was read.
static inline uint64_t loads_then(const struct loads *l)
{
	uint64_t number = 1;
	if (l->adds == 0)
		return 0;
	for (int i = 0; i < LOADS_WORDS && l->words[i].at != NULL; i++)
		number = mix64(number ^ l->words[i].value);
	return number | 1;
}

// Reads the words. Takes the loader's locks: not for the hooks. One caller at a time.
void loads_read(struct loads *l);

// Fills in the load biases (runtime − ELF address) of all libraries that the loader lists or, if forever is true, of
// the libraries that cannot be unloaded. Returns how many there are, which may be more than max. Libraries loaded
// before main cannot be unloaded, if this code is in the executable; otherwise only the executable cannot.
size_t loads_biases(bool forever, uint64_t *biases, size_t max);

#endif

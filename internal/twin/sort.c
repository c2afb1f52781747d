//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "sort.h"

typedef uint64_t __attribute__((may_alias)) word; // of any structure

struct heap {
	char *list;
	size_t size, key;
};

static uint64_t key_at(const struct heap *h, uint64_t i)
{
	return *(const word *)(h->list + i * h->size + h->key);
}

static void swap(const struct heap *h, uint64_t i, uint64_t k)
{
	word *a = (word *)(h->list + i * h->size), *b = (word *)(h->list + k * h->size);
	for (size_t n = 0; n < h->size / 8; n++) {
		word swapped = a[n];
		a[n] = b[n];
		b[n] = swapped;
	}
}

// Moves an element down until none below it is larger.
static void sift(const struct heap *h, uint64_t at, uint64_t count)
{
	for (uint64_t child; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count && key_at(h, child + 1) > key_at(h, child))
			child++;
		if (key_at(h, at) >= key_at(h, child))
			return;
		swap(h, at, child);
	}
}

void twin_sort(void *list, uint64_t count, size_t size, size_t key)
{
	struct heap h = {list, size, key};
	for (uint64_t i = count / 2; i-- > 0;)
		sift(&h, i, count);
	for (uint64_t last = count; last-- > 1;) {
		swap(&h, 0, last);
		sift(&h, 0, last);
	}
}

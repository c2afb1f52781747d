//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// The labels of a goroutine are found through its g, which the walk meets where Go called C. While C runs for the goroutine,
// nobody else may change its labels, and it keeps them from the garbage collector. A set never changes once it is made:
//
//	g ──► {list, length, capacity} ──► {key, size, text, size}, …
//
// (runtime/pprof.labelMap; strings are a pointer and a size). At start, the offset of the pointer in g is found, and this
// layout is verified; see probe.go. Other memory may be there all the same, so the kernel copies everything except g.
#include "labels.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

#include "hash.h"
#include "machine.h"
#include "trie.h"

TRIE_RECORD(struct labels);

struct label_options cgoheap_labels;

#define G_BYTES 512  // of g, where the pointer to the labels may lie

// Copies byte by byte, in a way that the compiler cannot turn into memcpy: the loader may bind memcpy at its first
// call, and malloc must never wait for the loader.
static void copy(char *to, const char *from, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		to[i] = from[i];
		__asm__ volatile("" ::: "memory");
	}
}

// A set in the making.
struct draft {
	uint32_t size;
	char *entries; // LABELS_BYTES
};

// Appends a label's sizes and returns where its key and text are to be written; NULL if there is no room.
static char *append(struct draft *d, size_t key_size, size_t text_size, struct label *l)
{
	*l = (struct label){
		.key_size = key_size < LABEL_KEY_BYTES ? key_size : LABEL_KEY_BYTES,
		.text_size = text_size < LABEL_TEXT_BYTES ? text_size : LABEL_TEXT_BYTES,
	};
	uint32_t size = sizeof *l + l->key_size + l->text_size;
	if (l->key_size < key_size || l->text_size < text_size || size > LABELS_BYTES - d->size)
		count(COUNT_LABELS_CUT);
	if (size > LABELS_BYTES - d->size)
		return NULL;
	char *to = d->entries + d->size;
	copy(to, (const char *)l, sizeof *l);
	d->size += size;
	return to + sizeof *l;
}

// Appends the label at an address. Its strings may lie in memory that the program unmaps.
static bool append_at(struct draft *d, struct memory *m, uintptr_t at)
{
	uintptr_t word[4];
	struct label l;
	for (int i = 0; i < 4; i++)
		if (!memory_load(m, at + 8 * i, &word[i]))
			return false;
	char *to = append(d, word[1], word[3], &l);
	return to == NULL || (memory_copy(m, word[0], to, l.key_size) && memory_copy(m, word[2], to + l.key_size, l.text_size));
}

// Appends the labels of g; false if they cannot be labels.
static bool append_goroutine(struct draft *d, struct memory *m, uintptr_t g)
{
	uintptr_t set, list, length, capacity;
	if (!memory_load(m, g + cgoheap_labels.goroutine_offset, &set))
		return false;
	if (set == 0)
		return true;
	if (!memory_load(m, set, &list) || !memory_load(m, set + 8, &length) || !memory_load(m, set + 16, &capacity))
		return false;
	if (length > capacity)
		return false;
	for (uintptr_t i = 0; i < length && d->size < LABELS_BYTES; i++)
		if (!append_at(d, m, list + 32 * i))
			return false;
	return true;
}

static void append_thread(struct draft *d)
{
	char name[16];
	size_t size = 0;
	long result = system_call(SYS_prctl, PR_GET_NAME, (long)name, 0, 0);
	while (result == 0 && size < sizeof name && name[size] != 0)
		size++;
	struct label l;
	char *to = size > 0 ? append(d, 6, size, &l) : NULL;
	if (to == NULL)
		return;
	copy(to, "thread", l.key_size);
	copy(to + l.key_size, name, l.text_size);
}

static void append_kind(struct draft *d, const struct kind *kind)
{
	struct label l;
	char *to = append(d, 4, kind->size, &l);
	if (to == NULL)
		return;
	copy(to, "kind", l.key_size);
	copy(to + l.key_size, kind->text, l.text_size);
}

static void append_device(struct draft *d, uint32_t number)
{
	char text[16] = "GPU ";
	size_t size = 4, digits = 1;
	for (uint32_t n = number; n >= 10; n /= 10)
		digits++;
	for (size_t i = digits; i > 0; i--, number /= 10)
		text[size + i - 1] = (char)('0' + number % 10);
	size += digits;
	struct label l;
	char *to = append(d, 6, size, &l);
	if (to == NULL)
		return;
	copy(to, "device", l.key_size);
	copy(to + l.key_size, text, l.text_size);
}

uint32_t labels_read(struct memory *m, uintptr_t g, char *entries)
{
	struct draft d = {0, entries};
	return append_goroutine(&d, m, g) ? d.size : LABELS_NONE;
}

static __attribute__((noinline)) uint32_t gather(struct memory *m, uintptr_t g, char *entries)
{
	struct draft d = {0, entries};
	if (cgoheap_labels.goroutine_offset != 0 && g != 0 && !append_goroutine(&d, m, g)) {
		count(COUNT_LOST_LABELS);
		return 0;
	}
	if ((cgoheap_labels.of_thread & LABEL_NAME) != 0)
		append_thread(&d);
	if (cgoheap_thread.kind.size != 0)
		append_kind(&d, &cgoheap_thread.kind);
	if (cgoheap_thread.kind.device != 0)
		append_device(&d, cgoheap_thread.kind.device - 1);
	return d.size == 0 ? 0 : labels_intern(d.entries, d.size);
}

uint32_t labels_now(struct memory *m, uintptr_t g, char *entries)
{
	if (cgoheap_labels.goroutine_offset == 0 && cgoheap_labels.of_thread == 0)
		return 0;
	return gather(m, g, entries);
}

// The key of a set.
struct content {
	const char *entries;
	uint32_t size, tag;
};

static bool same(const void *record, const void *content)
{
	const struct labels *l = record;
	const struct content *c = content;
	if (l->tag != c->tag || l->size != c->size)
		return false;
	for (uint32_t i = 0; i < c->size; i++)
		if (l->entries[i] != c->entries[i])
			return false;
	return true;
}

static uint64_t hash_bytes(const char *bytes, uint32_t size)
{
	uint64_t h = size;
	for (uint32_t i = 0; i < size; i++)
		h = (h ^ (unsigned char)bytes[i]) * 0x100000001b3ULL;
	return mix64(h);
}

static uint32_t make(const struct content *c)
{
	uint64_t *sets = &cgoheap_region->counters[COUNT_LABEL_SETS];
	uint64_t at = __atomic_load_n(sets, __ATOMIC_RELAXED) < LABEL_SETS ? region_reserve(sizeof(struct labels) + c->size) : 0;
	if (at == 0) {
		count(COUNT_LOST_LABELS);
		return 0;
	}
	struct labels *l = region_at(at);
	l->tag = c->tag;
	l->size = c->size;
	copy(l->entries, c->entries, c->size);
	return at / 16;
}

uint32_t labels_intern(const char *entries, uint32_t size)
{
	uint64_t hash = hash_bytes(entries, size);
	struct content c = {entries, size, hash >> 32};
	struct trie t = trie_from(cgoheap_region->label_heads, hash);
	uint32_t ref = trie_find(&t, same, &c);
	if (ref != 0)
		return ref;
	uint32_t made = make(&c);
	if (made == 0)
		return 0;
	ref = trie_link(&t, made, same, &c);
	if (ref == made)
		count(COUNT_LABEL_SETS);
	return ref;
}

uint32_t labels_find(uintptr_t g, uintptr_t value)
{
	uint32_t found = 0;
	for (uint32_t offset = 8; offset < G_BYTES && page_readable(g + offset); offset += 8) {
		if (*(const uintptr_t *)(g + offset) != value)
			continue;
		if (found != 0)
			return 0;
		found = offset;
	}
	return found;
}

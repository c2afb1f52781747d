//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// Rows are made outside of malloc, some time after a library was opened. Until then, and for the few addresses that a
// short program needs, the rule of an address is found in the unwind data in memory: .eh_frame_hdr has a table of FDEs,
// sorted by the addresses of their code.
//
//	.eh_frame_hdr  version 1, three encodings, pointer to .eh_frame, count │ start, FDE │ start, FDE │ …   from the header on
//	FDE            length, distance to its CIE, start, length of code, augmentation data, instructions
//	CIE            length, 0, version, augmentation, factors, return register, augmentation data, instructions
//
// The bytes are not trusted. image.c reads all of them, inside the file's mapping, and work is bounded: by the number
// of pieces that are read, and by the bytes of two records.

#include "cfi.h"

#include "cfi_cie.h"
#include "cfi_pointer.h"
#include "cfi_rule.h"
#include "hash.h"
#include "room.h"

#define ENCODINGS 0x3b031b01 // version 1; pcrel sdata4, udata4, datarel sdata4: what every linker writes
#define HEADER_SIZE 12
#define ENTRY_SIZE 8
#define AT_ONCE 128 // entries that are read in one piece
#define OVERLAPS 4 // FDEs before the found one that may reach further

struct entry {
	int32_t start, fde; // relative to the header's address
};

// Each search reads the header and first the same entries as others in the table, by one system call each. Their words are kept: of an entry
// the start, of a header the number of entries. Only of files that are never closed: another one at the address would get them, too. As in the
// cache of rules, the key combines the address with the word, because others may write one at the same time.
#define WORDS_KEPT 1024
#define LEVELS_KEPT 9 // of the halvings of a table

static struct kept_word {
	uint64_t key, word;
} kept_words[WORDS_KEPT];

static struct kept_word *slot_of(uintptr_t at, uint64_t *key)
{
	*key = mix64(at);
	return &kept_words[*key % WORDS_KEPT];
}

static bool find_kept(const struct image *image, uintptr_t at, uint32_t *word)
{
	uint64_t key;
	const struct kept_word *k = slot_of(at, &key);
	uint64_t found = __atomic_load_n(&k->word, __ATOMIC_RELAXED);
	*word = (uint32_t)found;
	return image->remembered && found != 0 && __atomic_load_n(&k->key, __ATOMIC_RELAXED) == (key ^ mix64(found));
}

static void keep(const struct image *image, uintptr_t at, uint32_t word)
{
	uint64_t key, kept = 1ULL << 32 | word;
	struct kept_word *k = slot_of(at, &key);
	if (!image->remembered)
		return;
	__atomic_store_n(&k->word, kept, __ATOMIC_RELAXED);
	__atomic_store_n(&k->key, key ^ mix64(kept), __ATOMIC_RELAXED);
}

// How many FDEs the header's table has; 0 if it cannot be searched.
static size_t table_size(const struct image *image)
{
	uint32_t kept, header[HEADER_SIZE / 4];
	uintptr_t at = image->eh_frame_hdr;
	if (at < image->start || at >= image->limit || image->limit - at < HEADER_SIZE)
		return 0;
	if (find_kept(image, at, &kept))
		return kept;
	if (image_copy(image, at, header, HEADER_SIZE) != HEADER_SIZE || header[0] != ENCODINGS)
		return 0;
	if (header[2] > (image->limit - at - HEADER_SIZE) / ENTRY_SIZE)
		return 0;
	keep(image, at, header[2]);
	return header[2];
}

static uintptr_t entry_at(const struct image *image, size_t number)
{
	return image->eh_frame_hdr + HEADER_SIZE + number * ENTRY_SIZE;
}

static bool copy_entries(const struct image *image, size_t first, struct entry *to, size_t count)
{
	return image_copy(image, entry_at(image, first), to, count * ENTRY_SIZE) == count * ENTRY_SIZE;
}

// Reads where the code of an entry begins.
static bool read_start(const struct image *image, size_t number, bool keeps, int32_t *start)
{
	struct entry e;
	uint32_t kept;
	if (keeps && find_kept(image, entry_at(image, number), &kept)) {
		*start = (int32_t)kept;
		return true;
	}
	if (!copy_entries(image, number, &e, 1))
		return false;
	*start = e.start;
	if (keeps)
		keep(image, entry_at(image, number), (uint32_t)e.start);
	return true;
}

// Reads the last entries that start at or before pc, in order, at most max; returns how many, or -1 if they are unreadable.
static int find_entries(const struct image *image, uintptr_t pc, struct entry *to, int max)
{
	struct entry piece[AT_ONCE];
	int64_t at = (int64_t)(pc - image->eh_frame_hdr);
	size_t size = table_size(image), low = 0, high = size; // entries below low start at or before pc, from high on after it
	if (high == 0)
		return -1;
	while (high - low > AT_ONCE - OVERLAPS) {
		size_t middle = low + (high - low) / 2;
		int32_t start;
		if (!read_start(image, middle, high - low > size >> LEVELS_KEPT, &start))
			return -1;
		if (start <= at)
			low = middle + 1;
		else
			high = middle;
	}
	size_t first = low > OVERLAPS ? low - OVERLAPS : 0, count = high - first;
	if (!copy_entries(image, first, piece, count))
		return -1;
	while (count > 0 && piece[count - 1].start > at)
		count--;
	int found = count < (size_t)max ? (int)count : max;
	for (int i = 0; i < found; i++)
		to[i] = piece[count - found + i];
	return found;
}

enum found { FOUND, NOT_HERE, UNREADABLE };

// The rule for pc by the FDE at an address.
static enum found look_in(const struct image *image, uintptr_t fde, uintptr_t pc, struct rule *rule)
{
	struct cie cie;
	struct state now;
	struct reader r = reader_of(image, fde, image->limit);
	cfi_enter_record(&r);
	uintptr_t field = r.at;
	uint64_t distance = read_bytes(&r, 4);
	if (r.failed || distance == 0 || distance > field - image->start)
		return r.unreadable ? UNREADABLE : NOT_HERE;
	struct reader of_cie = reader_of(image, field - distance, image->limit);
	if (!cfi_read_cie(&of_cie, &cie))
		return of_cie.unreadable ? UNREADABLE : NOT_HERE;
	struct span code = {.start = cfi_address(&r, cie.encoding)};
	uint64_t size = cfi_pointer(&r, cie.encoding);
	code.limit = code.start + size;
	uint64_t augmentation = cie.sized ? read_uleb(&r) : 0;
	if (r.failed || augmentation > r.end - r.at)
		return r.unreadable ? UNREADABLE : NOT_HERE;
	r.at += augmentation;
	if (code.start == 0 || code.limit < code.start || pc - code.start >= size)
		return NOT_HERE;
	if (cfi_run(&r, &cie, code, pc, &now))
		*rule = cfi_rule_of(&now, cie.signal);
	else
		*rule = (struct rule){.cfa = CFA_UNKNOWN};
	return r.unreadable ? UNREADABLE : FOUND;
}

static bool search(const struct image *image, uintptr_t pc, struct rule *rule)
{
	struct entry entries[OVERLAPS];
	int count = find_entries(image, pc, entries, OVERLAPS);
	*rule = (struct rule){0};
	for (int i = count - 1; i >= 0; i--) {
		enum found found = look_in(image, image->eh_frame_hdr + (int64_t)entries[i].fde, pc, rule);
		if (found != NOT_HERE)
			return found == FOUND;
	}
	return count >= 0;
}

struct searched {
	const struct image *image;
	uintptr_t pc;
	struct rule *rule;
	bool found;
};

static void run_search(void *searched)
{
	struct searched *s = searched;
	s->found = search(s->image, s->pc, s->rule);
}

// All that a search takes of a stack is a room's.
bool cfi_rule(const struct image *image, uintptr_t pc, struct rule *rule)
{
	struct searched s = {image, pc, rule, false};
	(void)room_run(image->memory == NULL ? NULL : image->memory->room, run_search, &s);
	return s.found;
}

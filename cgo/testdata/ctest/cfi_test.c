// Rules from unwind data in memory, read both ways, and with arbitrary bytes.
#define _GNU_SOURCE
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "../../cfi.h"
#include "../../cfi_cie.h"
#include "../../cfi_rule.h"
#include "../../cfi_value.h"
#include "../../images.h"
#include "../../machine.h"
#include "check.h"

static struct loaded_image images[64];
static struct copy by_kernel;
static struct memory reading = {.copy = &by_kernel};
static size_t count;

// The program's own, which the loader lists first.
static struct image own_image(void)
{
	count = images_list(images, 64);
	check(count > 0);
	images[0].image.memory = &reading;
	return images[0].image;
}

static bool same(const struct rule *a, const struct rule *b)
{
	return memcmp(a, b, sizeof *a) == 0;
}

// The kernel's copy and a plain one lead to the same rules, and past the end of the code there is no rule.
static void both_ways(void)
{
	struct image own = own_image(), kept = own;
	struct rule a, b;
	kept.kept = true;
	check(own.eh_frame_hdr != 0);
	for (uintptr_t pc = (uintptr_t)both_ways; pc < (uintptr_t)both_ways + 64; pc++) {
		check(cfi_rule(&own, pc, &a) && cfi_rule(&kept, pc, &b) && same(&a, &b));
		check(a.cfa != CFA_NONE);
	}
	check(cfi_rule(&own, own.start, &a) && a.cfa == CFA_NONE);
}

// An image that was unmapped is read as an empty one.
static void unmapped(void)
{
	size_t size = 1 << 16;
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct image image = {.start = (uintptr_t)at, .limit = (uintptr_t)at + size, .eh_frame_hdr = (uintptr_t)at + 4096,
			      .memory = &reading};
	struct rule rule;
	check(at != MAP_FAILED && munmap(at, size) == 0);
	check(!cfi_rule(&image, image.start, &rule));
	check(image_copy(&image, image.start, &rule, sizeof rule) == 0);
	check(image_copy(&image, image.limit, &rule, sizeof rule) == 0);
}

// From the header on, the unwind data of this program, in a block of its own, at the same distances.
struct image_copy {
	unsigned char *bytes;
	size_t size;
	uintptr_t moved; // its address - the original's
	struct image image;
};

static struct image_copy copy_of(const struct image *image)
{
	struct image_copy c = {.size = image->limit - image->start};
	c.bytes = malloc(c.size); // of the exact size, so that reading one byte more is noticed
	check(c.bytes != NULL);
	struct image readable = *image;
	memset(c.bytes, 0, c.size);
	for (size_t at = 0; at < c.size; at += 4096)
		image_copy(&readable, image->start + at, c.bytes + at, c.size - at < 4096 ? c.size - at : 4096);
	c.moved = (uintptr_t)c.bytes - image->start;
	c.image = (struct image){(uintptr_t)c.bytes, (uintptr_t)c.bytes + c.size, image->eh_frame_hdr + c.moved, true, NULL, false};
	return c;
}

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	return *state ^= *state << 17;
}

static void damaged(void)
{
	struct image own = own_image();
	struct image_copy c = copy_of(&own);
	struct rule rule, whole;
	uint64_t random = 88172645463325252ULL;
	uintptr_t pc = (uintptr_t)damaged + c.moved;
	size_t data = c.image.eh_frame_hdr - c.image.start;
	unsigned char *original = malloc(c.size);
	check(original != NULL && cfi_rule(&c.image, pc, &whole) && whole.cfa != CFA_NONE);
	memcpy(original, c.bytes, c.size);
	for (int i = 0; i < 400000 / SCALE; i++) {
		size_t hits = 1 + next(&random) % 64;
		for (size_t k = 0; k < hits; k++)
			c.bytes[data + next(&random) % (c.size - data)] = next(&random) % 4 == 0 ? 0xff : next(&random);
		c.image.limit = (uintptr_t)c.bytes + c.size - (next(&random) % 4 == 0 ? next(&random) % (c.size - data) : 0);
		for (int k = 0; k < 8; k++)
			cfi_rule(&c.image, pc + next(&random) % 65536 - 32768, &rule);
		if (i % 64 == 0)
			memcpy(c.bytes, original, c.size);
	}
	memcpy(c.bytes, original, c.size);
	c.image.limit = (uintptr_t)c.bytes + c.size;
	check(cfi_rule(&c.image, pc, &rule) && same(&rule, &whole));
	free(original);
	free(c.bytes);
}

// What searches read is kept for a file that is never closed, and for no other.
static void remembers(void)
{
	struct image own = own_image();
	struct image_copy c = copy_of(&own);
	struct rule rule, whole;
	uintptr_t first = (uintptr_t)both_ways + c.moved, header = c.image.eh_frame_hdr, last = 0;
	for (uintptr_t pc = first; pc < first + 4096; pc++) {
		c.image.remembered = false;
		bool found = cfi_rule(&c.image, pc, &whole);
		c.image.remembered = true;
		check(cfi_rule(&c.image, pc, &rule) == found && same(&rule, &whole));
		if (found)
			last = pc;
	}
	check(last != 0);
	c.image.remembered = false;
	check(cfi_rule(&c.image, last, &whole));
	memset((void *)header, 0, 12);
	c.image.remembered = true;
	check(cfi_rule(&c.image, last, &rule) && same(&rule, &whole));
	c.image.remembered = false;
	check(!cfi_rule(&c.image, last, &rule));
	free(c.bytes);
}

static bool reads(const unsigned char *record, size_t size)
{
	unsigned char cut[64];
	struct image image = {.start = (uintptr_t)cut, .limit = (uintptr_t)cut + size, .kept = true};
	struct reader r = reader_of(&image, image.start, image.limit);
	struct cie cie;
	memcpy(cut, record, size);
	cut[0] = size - 4; // the record's own length field
	return cfi_read_cie(&r, &cie);
}

// A program may end before an instruction, but not inside one. Zeroes at the end are not needed.
static void cut_short(void)
{
	const unsigned char record[] = {0, 0, 0, 0, /* CIE */ 0, 0, 0, 0, /* version */ 1, 'z', 'R', 0, /* factors */ 1, 0x78,
					/* return register */ 16, /* augmentation */ 1, 0x1b, /* def_cfa */ 0x0c, 7, 8,
					/* offset */ 0x90, 1};
	for (size_t size = 4; size <= sizeof record; size++)
		check(reads(record, size) == (size == 17 || size == 20 || size == 22));
}

static void readers(void)
{
	const unsigned char bytes[] = {1, 2, 3, 0x80, 0x80};
	struct image image = {.start = (uintptr_t)bytes, .limit = (uintptr_t)bytes + sizeof bytes, .kept = true};
	struct reader r = reader_of(&image, image.start, image.limit);
	check(read_bytes(&r, 2) == 0x201 && !r.failed && read_bytes(&r, 4) == 0 && r.failed && read_bytes(&r, 1) == 0);
	r = reader_of(&image, image.start + 3, image.limit);
	check(read_uleb(&r) == 0 && r.failed && !r.unreadable);
}

enum { AND = 0x1a, MINUS = 0x1c, MUL = 0x1e, PLUS = 0x22, SHL = 0x24, GE = 0x2a, LIT = 0x30, BREG = 0x70 }; // operations

static void expressions(void)
{
	static const struct {
		uint8_t code[8], size;
		struct value want;
	} all[] = {
		{{BREG + DWARF_SP, 16, LIT + 8, MINUS}, 4, {FORM_SP, 8, 0}},
		{{BREG + DWARF_SP, 16, LIT + 8, PLUS}, 4, {FORM_SP, 24, 0}},
		{{LIT + 8, BREG + DWARF_SP, 16, PLUS}, 4, {FORM_SP, 24, 0}},
		{{LIT + 8, BREG + DWARF_SP, 16, MINUS}, 4, {FORM_UNKNOWN, 0, 0}},
		{{LIT + 3, LIT + 8, MINUS}, 3, {FORM_NUMBER, -5, 0}},
#if defined(__x86_64__) // where there is a number of the pc
		{{BREG + 16, 0, LIT + 15, AND, LIT + 11, GE, LIT + 3, SHL}, 8, {FORM_PUSH, 0, 11}},
		{{BREG + 16, 0, LIT + 15, AND, LIT + 11, GE, LIT + 8, MUL}, 8, {FORM_PUSH, 0, 11}},
		{{BREG + 16, 0, LIT + 15, AND, LIT + 11, GE, LIT + 4, SHL}, 8, {FORM_UNKNOWN, 0, 0}},
		{{BREG + 16, 0, LIT + 7, AND}, 4, {FORM_UNKNOWN, 0, 0}},
#endif
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		uintptr_t at = (uintptr_t)all[i].code;
		struct image image = {.start = at, .limit = at + all[i].size, .kept = true};
		struct reader r = reader_of(&image, image.start, image.limit);
		struct value got = cfi_evaluate(&r, (struct value){.form = FORM_NONE});
		check(got.form == all[i].want.form && got.offset == all[i].want.offset && got.extra == all[i].want.extra);
	}
}

// A file with unwind data of one function.
static struct {
	uint32_t encodings;
	int32_t eh_frame;
	uint32_t count;
	int32_t first, first_fde;
	uint32_t cie_size;
	uint8_t cie[20];
	uint32_t fde_size, distance;
	uint64_t start, size;
	uint8_t end[4];
} __attribute__((packed)) file = {
	.encodings = 0x3b031b01, .count = 1, .cie_size = 20, .fde_size = 24,
	.cie = {0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, /* absolute */ 0, /* def_cfa */ 0x0c, DWARF_SP, 8, /* offset */ 0x90, 1},
};

static bool covers(uint64_t start, uint64_t size, uintptr_t pc)
{
	uintptr_t at = (uintptr_t)&file;
	struct rule rule;
	struct image image = {.start = at, .limit = at + sizeof file, .eh_frame_hdr = at, .kept = true};
	file.first = INT32_MIN;
	file.first_fde = offsetof(__typeof__(file), fde_size);
	file.distance = offsetof(__typeof__(file), distance) - offsetof(__typeof__(file), cie_size);
	file.start = start;
	file.size = size;
	check(cfi_rule(&image, pc, &rule));
	return rule.cfa != CFA_NONE;
}

static void coverage(void)
{
	uintptr_t pc = (uintptr_t)&file;
	check(covers(pc, 1, pc) && covers(pc - 4, 5, pc) && !covers(pc - 4, 4, pc) && !covers(pc + 1, 8, pc));
	check(!covers(pc, 0, pc) && !covers(pc + 1, UINT64_MAX, pc) && !covers(1, UINT64_MAX, pc));
	check(covers(1, pc, pc) && !covers(0, pc + 1, pc)); // the linker has dropped functions that begin at 0
}

// An offset of more bits than a rule has leads nowhere, not to what is left of it.
static void wide_offsets(void)
{
	const struct state fitting = {.cfa_register = DWARF_SP, .cfa_offset = 16, .ra = {.how = AT_CFA, .offset = -8}, .fp = {.how = AT_CFA, .offset = -16}};
	struct rule rule = cfi_rule_of(&fitting, false);
	check(rule.cfa == CFA_FROM_SP && rule.ra == RA_FROM_CFA && rule.ra_offset == -8 && rule.fp == FP_FROM_CFA && rule.fp_offset == -16);
	for (int64_t wide = (int64_t)1 << 31; wide < (int64_t)1 << 62; wide <<= 1)
		for (int sign = -1; sign <= 1; sign += 2) {
			int64_t offset = sign * wide - (sign < 0);
			struct state s = fitting;
			s.ra.offset = offset;
			check(cfi_rule_of(&s, false).ra == RA_UNKNOWN);
			s = fitting;
			s.fp.offset = offset;
			rule = cfi_rule_of(&s, false);
			check(rule.fp == FP_UNKNOWN && rule.ra == RA_FROM_CFA);
			s = fitting;
			s.cfa_offset = offset;
			check(cfi_rule_of(&s, false).cfa == CFA_UNKNOWN);
		}
}

int main(void)
{
	run("an offset that a rule has no room for makes it unknown", wide_offsets);
	run("a reader stays failed once it is past the end", readers);
	run("expressions are what they say, or unknown", expressions);
	run("an FDE covers its function, and nothing else", coverage);
	run("a record that is cut short is refused", cut_short);
	run("a file that may be closed is read as one that stays", both_ways);
	run("a file that is gone tells nothing", unmapped);
	run("damaged unwind data is read inside its file, and ends", damaged);
	run("what searches read is kept for a file that stays", remembers);
}

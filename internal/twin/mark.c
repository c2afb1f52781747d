//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// A word points to a block if it is an address in it, with any of its lowest bits changed; or the address of its first word with
// its upper 16 bits changed, where programs keep tags and counters. First come the program's variables and all blocks that
// these lead to, because a person knows what a global is; then stacks, then the rest. Each block is found once, so the first is its holder.

#include "mark.h"

#include "areas.h"
#include "go_paths.h"
#include "machine.h"

#define ADDRESS TWIN_ADDRESS
#define FROM_BLOCK (1ULL << 63)
#define AHEAD 8      // a power of two: blocks that are fetched into the cache before they are read
#define COPIED (64ULL << 10)
#define RUNTIMES (1ULL << 20) // larger than any variable of Go's runtime
#define SPARSE (4ULL << 10) // in larger blocks, pages that were never touched are left out

// A block whose words are to be looked at, and what led to it: FROM_BLOCK and the recorded block's index, or twin_from.
struct pending {
	uint64_t at, size;
	uint64_t from;
};

struct marking {
	struct twin_task *task;
	const struct twin_maps *maps;
	const struct twin_apart *apart;
	struct twin_readable readable;
	struct twin_range safe; // one of these, which the last block lies in
	struct twin_nodes *nodes;
	struct twin_found *found;
	struct pending *pending; // a stack; room for all blocks
	uint64_t pending_count, pending_room;
	struct pending ahead[AHEAD];
	unsigned ahead_first, ahead_count;
	struct twin_go_outside outside;
	struct twin_kept kept; // objects of Go's
	uint64_t from; // of what is being looked at
	uint32_t root;
	char *copy;  // COPIED bytes, and as many behind
	bool full;   // there was no room for a block
	bool blind;  // a list of the kernel's could not be read
};

static void note(struct marking *m, uint64_t block, uint64_t word)
{
	struct twin_found *f = &m->found[block - 1];
	f->holder = word;
	if ((m->from & FROM_BLOCK) != 0) {
		uint64_t holder = m->from & ~FROM_BLOCK;
		f->through = (uint32_t)holder + 1;
		f->root = m->found[holder].root;
		f->root_word = m->found[holder].root_word;
		return;
	}
	f->through = 0;
	f->root = m->root != TWIN_ROOT_NONE ? m->root : (uint32_t)(m->from >> TWIN_ROOT_BITS);
	f->root_word = m->root != TWIN_ROOT_NONE ? word : m->from & ADDRESS;
}

static __attribute__((noinline)) void follow(struct marking *m, uint64_t value, uint64_t word)
{
	struct twin_node n;
	uint64_t address = value & ADDRESS;
	__builtin_prefetch((const void *)address); // while it is looked up
	if (value >> 48 == 0 ? !twin_nodes_reach(m->nodes, address, &n) : !twin_nodes_reach_tagged(m->nodes, address, &n))
		return;
	uint64_t from = m->root != TWIN_ROOT_NONE ? twin_from(m->root, word) : m->from;
	if (n.block != 0) {
		note(m, n.block, word);
		from = FROM_BLOCK | (n.block - 1);
	}
	if (m->pending_count == m->pending_room) {
		m->full = true;
		return;
	}
	m->pending[m->pending_count++] = (struct pending){n.at, n.size, from};
}

// Looks at the words of memory that the twin has bias bytes before the place where the process has it.
static void scan_at(void *arg, uint64_t start, uint64_t limit, uint64_t bias)
{
	struct marking *m = arg;
	const uint64_t *word = (const uint64_t *)((start + 7) & ~7ULL), *end = (const uint64_t *)(limit & ~7ULL);
	struct twin_nodes spans = {.spans = {m->nodes->spans[0], m->nodes->spans[1]}}; // in registers
	if (word >= end)
		return;
	m->task->scanned += (uint64_t)(end - word) * 8;
	for (; word < end; word++) {
		uint64_t value = *word;
		if (__builtin_expect(twin_nodes_may_hold(&spans, value & ADDRESS), 0))
			follow(m, value, (uint64_t)word + bias);
	}
}

// Looks at the words of a file's data that are not as the file has them: the others are constants.
static void scan_changed(struct marking *m, const struct twin_file *f, uint64_t start, uint64_t limit)
{
	for (uint64_t at = start & ~7ULL; at < limit; at += COPIED) {
		uint64_t wanted = limit - at < COPIED ? limit - at : COPIED;
		long got = system_call(SYS_pread64, f->file, (long)m->copy, (long)wanted, (long)(f->offset + (at - f->start)));
		for (uint64_t i = 0; i + 8 <= wanted; i += 8) {
			uint64_t value = *(const uint64_t *)(at + i);
			if (twin_nodes_may_hold(m->nodes, value & ADDRESS) && ((long)i + 8 > got || value != *(const uint64_t *)(m->copy + i)))
				follow(m, value, at + i);
		}
		m->task->scanned += wanted;
	}
}

static void scan(struct marking *m, uint64_t start, uint64_t limit)
{
	scan_at(m, start, limit, 0);
}

// Who looks at the words of memory that is visited.
struct visit {
	struct marking *m;
	twin_go_words *words;
	void *to;
};

static void visit_run(void *arg, uint64_t start, uint64_t limit)
{
	struct visit *v = arg;
	v->words(v->to, start, limit, 0);
}

static void scan_data(void *arg, uint64_t start, uint64_t limit)
{
	struct marking *m = ((struct visit *)arg)->m;
	const struct twin_file *files = (const void *)((const char *)m->task + m->task->files);
	for (uint64_t i = 0; i < m->task->file_count && start < limit; i++) {
		if (files[i].limit <= start || files[i].start >= limit)
			continue;
		if (start < files[i].start)
			scan(m, start, files[i].start);
		uint64_t end = limit < files[i].limit ? limit : files[i].limit;
		scan_changed(m, &files[i], start < files[i].start ? files[i].start : start, end);
		start = end;
	}
	if (start < limit)
		scan(m, start, limit);
}

// What a load may fault at is copied by the kernel. What it cannot read, because a file is shorter or the page is a guard, holds nothing.
static void visit_copy(void *arg, uint64_t start, uint64_t limit)
{
	struct visit *v = arg;
	uint64_t copy = (uint64_t)v->m->copy;
	v->m->copy += COPIED; // for an object that the words lead to
	for (uint64_t at = start; at < limit; at += COPIED) {
		uint64_t wanted = limit - at < COPIED ? limit - at : COPIED;
		long got = system_call(SYS_pread64, v->m->task->memory, (long)copy, (long)wanted, (long)at);
		if (got > 0)
			v->words(v->to, copy, copy + (uint64_t)got, at - copy);
	}
	v->m->copy -= COPIED;
}

static void visit_touched(void *arg, uint64_t start, uint64_t limit)
{
	struct marking *m = ((struct visit *)arg)->m;
	struct twin_pagemap here = {m->task->pagemap, m->task->page};
	m->blind = m->blind || !twin_runs(&here, start, limit, TWIN_THERE, visit_run, arg) || !twin_runs(&here, start, limit, TWIN_SWAPPED, visit_copy, arg);
}

// Whether a block, or an object of Go's, is small, and no part of it is protected, or not copied.
static bool is_safe(struct marking *m, uint64_t start, uint64_t limit)
{
	if (start < m->safe.start || limit > m->safe.limit)
		m->safe = twin_readable_around(&m->readable, start);
	return limit - start <= SPARSE && start >= m->safe.start && limit <= m->safe.limit;
}

static void visit_part(void *arg, uint64_t start, uint64_t limit, twin_go_words *words, void *to)
{
	struct visit v = {arg, words, to};
	if (is_safe(v.m, start, limit))
		words(to, start, limit, 0);
	else
		twin_readable_each(&v.m->readable, start, limit, limit - start <= SPARSE ? visit_run : visit_touched, &v);
}

// Takes a block from the stack into the row of those that are fetched, and the longest fetched one from that.
static bool next(struct marking *m, struct pending *p)
{
	while (m->ahead_count < AHEAD && m->pending_count > 0) {
		struct pending *fetched = &m->ahead[(m->ahead_first + m->ahead_count++) % AHEAD];
		*fetched = m->pending[--m->pending_count];
		__builtin_prefetch((const void *)fetched->at);
	}
	if (m->ahead_count == 0)
		return false;
	*p = m->ahead[m->ahead_first++ % AHEAD];
	m->ahead_count--;
	return true;
}

static void follow_blocks(struct marking *m)
{
	m->root = TWIN_ROOT_NONE;
	for (struct pending p; next(m, &p);) {
		m->from = p.from;
		visit_part(m, p.at, p.at + p.size, scan_at, m);
	}
	m->from = 0; // what is looked at next is no block
}

static void scan_root(void *arg, uint64_t start, uint64_t limit, uint32_t root)
{
	struct marking *m = arg;
	m->root = root;
	visit_part(m, start, limit, scan_at, m);
}

static bool scan_areas(struct marking *m, enum twin_root kind)
{
	struct visit v = {m, scan_at, m};
	m->root = kind;
	return twin_areas(m->task, m->maps, m->apart, kind, kind == TWIN_ROOT_DATA ? scan_data : visit_run, visit_copy, &v);
}

static void scan_stacks(struct marking *m)
{
	const struct twin_stack *stacks = (const void *)((const char *)m->task + m->task->stacks);
	struct visit v = {m, scan_at, m};
	m->root = TWIN_ROOT_STACK;
	for (uint64_t i = 0; i < m->task->stack_count; i++)
		twin_readable_each(&m->readable, stacks[i].from, stacks[i].limit, visit_touched, &v);
}

// What threads have passed to the system calls in which they wait, and what the program has given to epoll.
static void scan_registers(struct marking *m)
{
	uint64_t start = (uint64_t)m->task + m->task->registers, limit = start + m->task->register_count * 8;
	m->root = TWIN_ROOT_REGISTERS;
	scan(m, start, limit);
	m->root = TWIN_ROOT_EPOLL;
	scan(m, limit, limit + m->task->epoll_count * 8);
}

static bool visit_variables(void *arg, twin_go_words *words, void *to)
{
	struct marking *m = arg;
	const struct twin_range *list = (const void *)((const char *)m->task + m->task->variables);
	for (uint64_t i = 0; i < m->task->variable_count; i++)
		visit_part(m, list[i].start, list[i].limit, words, to);
	return true;
}

// Variables of Go's runtime are among what is apart, and small.
static bool visit_others(void *arg, twin_go_words *words, void *to)
{
	struct visit v = {arg, words, to};
	const struct twin_task *task = v.m->task;
	const struct twin_range *apart = (const void *)((const char *)task + task->apart);
	for (uint64_t i = 0; i < task->aparts; i++)
		if (apart[i].limit - apart[i].start <= RUNTIMES)
			visit_part(v.m, apart[i].start, apart[i].limit, words, to);
	return twin_areas(task, v.m->maps, v.m->apart, TWIN_ROOT_DATA, visit_run, visit_copy, &v) &&
	       twin_areas(task, v.m->maps, v.m->apart, TWIN_ROOT_MAPPING, visit_run, visit_copy, &v);
}

static void scan_kept(void *arg, uint64_t start, uint64_t limit, uint64_t bias, uint32_t root, uint64_t from)
{
	struct marking *m = arg;
	m->root = root;
	m->from = from;
	scan_at(m, start, limit, bias);
}

// What was found last waits above all else.
static void rename_last(void *arg, uint64_t from, uint64_t to)
{
	struct marking *m = arg;
	for (uint64_t i = m->pending_count; i-- > 0;) {
		struct pending *p = &m->pending[i];
		struct twin_found *f = (p->from & FROM_BLOCK) != 0 ? &m->found[p->from & ~FROM_BLOCK] : NULL;
		if (from != (f != NULL ? twin_from(f->root, f->root_word) : p->from))
			return;
		if (f == NULL) {
			p->from = to;
		} else {
			f->root = (uint32_t)(to >> TWIN_ROOT_BITS);
			f->root_word = to & ADDRESS;
		}
	}
}

static void scan_heap(struct marking *m)
{
	if (!twin_go_scan(&m->task->go, &m->kept, scan_root, m)) {
		m->task->go_unknown = 1;
		m->task->go = (struct twin_go){0}; // its arenas are memory like any other
	}
}

// What lies in Go's smallest objects may have been forgotten, so what else leads to a block comes first.
static void scan_smallest(struct marking *m)
{
	follow_blocks(m);
	(void)twin_go_scan_smallest(&m->task->go, scan_root, m); // where it fails, twin_go_scan does
	follow_blocks(m);
}

// Go's heap and all other memory. Only who wants names has given variables: then what the program still uses comes first, because it tells more
// of a block than garbage, such as an older copy of a list.
static bool scan_rest(struct marking *m)
{
	if (m->task->variable_count > 0)
		twin_go_keep(&m->task->go, &m->outside, &m->kept, &m->task->own);
	bool used = m->kept.bits != NULL; // is known
	if (!used)
		scan_heap(m);
	if (!scan_areas(m, TWIN_ROOT_MAPPING))
		return false;
	m->task->phase = TWIN_BLOCKS;
	scan_smallest(m);
	if (used)
		scan_heap(m);
	follow_blocks(m);
	return true;
}

// What is in an object of Go's that nothing was found to keep.
static void name_rest(struct marking *m)
{
	bool looked = false, known = false;
	for (uint64_t i = 0; i < m->task->count && m->kept.bits != NULL; i++) {
		struct twin_found *f = &m->found[i];
		bool smallest = f->root == (TWIN_ROOT_GO_HEAP | TWIN_ROOT_SMALLEST);
		if (f->root != TWIN_ROOT_GO_HEAP && !smallest)
			continue;
		if (!looked)
			known = twin_go_keep_others(&m->task->go, &m->outside, &m->kept, &m->task->own);
		looked = true;
		if (twin_go_keeps(&m->task->go, &m->kept, f->root_word))
			f->root = smallest ? f->root : TWIN_ROOT_GO_OTHER | TWIN_ROOT_IN_GO;
		else if (known)
			f->root = TWIN_ROOT_GARBAGE | TWIN_ROOT_IN_GO;
	}
	twin_go_forget_kept(&m->kept);
}

static void name_goroutines(struct marking *m)
{
	struct twin_goroutines all = {0};
	if (twin_go_index(&m->task->go, &all)) {
		for (uint64_t i = 0; i < m->task->count; i++) {
			if ((m->found[i].root & ~TWIN_ROOT_IN_GO) != TWIN_ROOT_GO_STACK)
				continue;
			const struct twin_goroutine *g = twin_go_goroutine(&all, m->found[i].root_word);
			m->found[i].goroutine = g == NULL ? 0 : g->start;
			m->found[i].root_word = g == NULL ? 0 : g->g;
		}
	}
	twin_go_forget(&all);
}

static void note_unknown(struct marking *m)
{
	for (uint64_t i = 0; i < m->task->count; i++)
		if (m->found[i].holder == 0 && !twin_nodes_knows(m->nodes, i))
			m->found[i].root = TWIN_ROOT_UNKNOWN;
}

static bool fail(struct twin_task *task, enum twin_phase why)
{
	task->phase = why;
	return false;
}

bool twin_mark(struct twin_task *task, const struct twin_maps *maps, const struct twin_heaps *heaps, struct twin_nodes *nodes, uint64_t sp)
{
	struct twin_apart apart = {0};
	struct marking m = {.task = task, .maps = maps, .apart = &apart, .nodes = nodes, .found = (void *)((char *)task + task->found),
			    .pending_room = nodes->chunk_count + nodes->count + 1, .outside = {visit_variables, visit_others, visit_part, scan_kept, rename_last, &m}};
	m.pending = pages_map(m.pending_room * sizeof *m.pending);
	m.copy = pages_map(2 * COPIED);
	if (m.pending == NULL || m.copy == NULL || !twin_readable_find(&m.readable, maps) || !twin_apart_find(&apart, task, maps, heaps, nodes))
		return fail(task, TWIN_NO_MEMORY);
	task->own += apart.taken + 2 * COPIED;
	if (!scan_areas(&m, TWIN_ROOT_DATA))
		return fail(task, TWIN_NO_AREAS);
	follow_blocks(&m); // all that a global leads to, before a word on a stack, perhaps a stale one, leads into the midst of it
	twin_stacks_resolve((void *)((char *)task + task->stacks), task->stack_count, &task->go, heaps, sp);
	scan_stacks(&m);
	scan_registers(&m);
	follow_blocks(&m);
	if (!scan_rest(&m))
		return fail(task, TWIN_NO_AREAS);
	name_rest(&m);
	name_goroutines(&m);
	note_unknown(&m);
	if (m.full || m.blind)
		return fail(task, m.full ? TWIN_NO_MEMORY : TWIN_NO_AREAS);
	return true;
}

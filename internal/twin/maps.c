//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "maps.h"

#include "machine.h"

#define MORE (64 << 10) // by which a list can grow

struct line {
	const char *at, *end;
};

static uint64_t number(struct line *l)
{
	uint64_t n = 0;
	for (; l->at < l->end; l->at++) {
		unsigned digit = (unsigned char)*l->at;
		digit = digit - '0' < 10 ? digit - '0' : digit - 'a' < 6 ? digit - 'a' + 10 : 16;
		if (digit == 16)
			break;
		n = n << 4 | digit;
	}
	return n;
}

static bool skip(struct line *l, char c)
{
	if (l->at == l->end || *l->at != c)
		return false;
	l->at++;
	return true;
}

bool twin_map_begins(const struct twin_map *m, const char *with)
{
	for (size_t i = 0; with[i] != 0; i++)
		if (i >= m->name_size || m->name[i] != with[i])
			return false;
	return true;
}

// start-limit rwxp offset major:minor inode      name
static bool parse(struct line l, struct twin_map *m)
{
	m->start = number(&l);
	if (!skip(&l, '-'))
		return false;
	m->limit = number(&l);
	if (!skip(&l, ' ') || l.end - l.at < 5 || m->start >= m->limit)
		return false;
	m->readable = l.at[0] == 'r';
	m->writable = l.at[1] == 'w';
	m->shared = l.at[3] == 's';
	l.at += 5;
	(void)number(&l);
	bool whole = skip(&l, ' ');
	(void)number(&l);
	whole = whole && skip(&l, ':');
	(void)number(&l);
	whole = whole && skip(&l, ' ');
	bool file = number(&l) != 0; // decimal, but zero is zero
	while (skip(&l, ' ')) {
	}
	m->name = l.at;
	m->name_size = (size_t)(l.end - l.at);
	m->anonymous = !file && (m->name_size == 0 || twin_map_begins(m, "[heap]") || twin_map_begins(m, "[stack]") ||
				 twin_map_begins(m, "[anon:"));
	return whole;
}

bool twin_maps_each(const struct twin_maps *l, twin_map_visit *visit, void *arg)
{
	size_t used = 0;
	for (size_t end = 0; end < l->size; end++) {
		struct twin_map m;
		if (l->text[end] != '\n')
			continue;
		if (!parse((struct line){l->text + used, l->text + end}, &m))
			return false;
		visit(arg, &m);
		used = end + 1;
	}
	return used == l->size;
}

// Reads the file from its start, and not from where others left it: the process and the twin share descriptors. Returns how
// much there is, of which as much is in the buffer as it has room for; -1 if it cannot be read.
static long read_list(int file, char *buffer, size_t room)
{
	char rest[4096];
	for (size_t size = 0;;) {
		char *to = size < room ? buffer + size : rest;
		size_t most = size < room ? room - size : sizeof rest;
		long more = system_call(SYS_pread64, file, (long)to, (long)most, (long)size);
		if (more <= 0)
			return more < 0 ? -1 : (long)size;
		size += (size_t)more;
	}
}

bool twin_maps_read(struct twin_maps *l, int file)
{
	long size = read_list(file, NULL, 0);
	if (size < 0)
		return false;
	l->room = (size_t)size + MORE;
	l->text = pages_map(l->room);
	if (l->text == NULL)
		return false;
	size = read_list(file, l->text, l->room); // with what was just mapped
	l->size = (size_t)size;
	return size >= 0 && l->size <= l->room;
}

//go:build leaks

/* Objects of Ruby, in whatever version is installed: they lie in pages of Ruby's, and long strings in blocks that these point to. */
#include <dlfcn.h>
#include <glob.h>
#include <stdint.h>
#include <stdlib.h>

#include "trial.h"

typedef uintptr_t value;

enum { BYTES = 1000, EMBEDDED = 23, MANY = 200000 };

static void *ruby;

static void *symbol(const char *name)
{
	void *found = dlsym(ruby, name);
	if (!found)
		abort();
	return found;
}

static value (*new_string)(const char *, long), (*push)(value, value), (*new_array)(void), (*collect)(void);
static void (*mark)(value);
static void *(*xmalloc)(size_t);

static void load(const char *pattern)
{
	glob_t found;
	if (glob(pattern, 0, NULL, &found) != 0 || !(ruby = dlopen(found.gl_pathv[0], RTLD_NOW | RTLD_GLOBAL)))
		abort();
	globfree(&found);
	*(void **)&new_string = symbol("rb_str_new");
	*(void **)&push = symbol("rb_ary_push");
	*(void **)&new_array = symbol("rb_ary_new");
	*(void **)&collect = symbol("rb_gc_start");
	*(void **)&mark = symbol("rb_gc_register_mark_object");
	*(void **)&xmalloc = symbol("ruby_xmalloc");
}

static char text[BYTES];

static APART void *lost_buffer(void) { return MADE(xmalloc(BYTES)); }
static APART void *linked_string(void) { return MADE((void *)new_string(text, BYTES)); }
static APART void *kept_rubys_string(void) { return MADE((void *)new_string(text, BYTES)); }
static APART void *collected_string(void) { return (void *)new_string(text, BYTES); }

static void *volatile forgotten;

/* What is lost is marked for good, as by an extension that forgets to take the mark away; and a buffer of an extension's. */
static APART void fill(value kept)
{
	for (size_t i = 0; i < trial_number(BYTES); i++) {
		mark((value)linked_string());
		push(kept, (value)kept_rubys_string());
		forgotten = collected_string();
		forgotten = lost_buffer();
	}
	forgotten = NULL;
}

/* What was freed leaves pointers in Ruby's pages until others take its place. */
void strings(void)
{
	value on_stack;
	load("/usr/lib/*/libruby*.so.*");
	((void (*)(void *))symbol("ruby_init_stack"))(&on_stack);
	((void (*)(void))symbol("ruby_init"))();
	value kept = new_array();
	mark(kept);
	fill(kept);
	collect();
	for (int i = 0; i < MANY; i++)
		forgotten = (void *)new_string(text, EMBEDDED);
	forgotten = NULL;
	collect();
}

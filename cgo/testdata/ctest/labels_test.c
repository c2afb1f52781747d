// Labels, with a g and a set that the test made itself.
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "../../gate.h"
#include "../../labels.h"
#include "../../layout.h"
#include "../../region.h"
#include "../../thread.h"
#include "check.h"

#define OFFSET 64

static uintptr_t g[64];
static struct { const char *key; size_t key_size; const char *text; size_t text_size; } list[40];
static struct { void *list; size_t length, capacity; } set;

static void begin(void)
{
	if (cgoheap_region != NULL)
		region_close();
	check(layout_open(NULL, 16 << 20, 1) == 0);
	memset(g, 0, sizeof g);
	memset(list, 0, sizeof list);
	set.list = list;
	set.length = set.capacity = 0;
	g[OFFSET / 8] = (uintptr_t)&set;
	cgoheap_labels = (struct label_options){.goroutine_offset = OFFSET};
}

static void add(const char *key, const char *text)
{
	list[set.length].key = key;
	list[set.length].key_size = strlen(key);
	list[set.length].text = text;
	list[set.length].text_size = strlen(text);
	set.capacity = ++set.length;
}

static uint32_t now(uintptr_t of)
{
	struct memory m;
	struct copy copy;
	char entries[LABELS_BYTES];
	memory_begin(&m, &cgoheap_thread, (uintptr_t)&m, &copy);
	uint32_t ref = labels_now(&m, of, entries);
	memory_end(&m);
	return ref;
}

// The set as "key=text key=text".
static const char *shown(uint32_t ref)
{
	static char out[4096];
	struct labels *l = region_ref(ref);
	char *to = out;
	for (uint32_t at = 0; at < l->size;) {
		struct label e;
		memcpy(&e, l->entries + at, sizeof e);
		const char *key = l->entries + at + sizeof e;
		to += sprintf(to, "%s%.*s=%.*s", at == 0 ? "" : " ", e.key_size, key, e.text_size, key + e.key_size);
		at += sizeof e + e.key_size + e.text_size;
	}
	return out;
}

static void goroutine(void)
{
	begin();
	check(now((uintptr_t)g) == 0); // an empty set
	add("tenant", "acme");
	add("path", "");
	uint32_t ref = now((uintptr_t)g);
	check(ref != 0 && strcmp(shown(ref), "tenant=acme path=") == 0);
	check(now((uintptr_t)g) == ref && cgoheap_counted(COUNT_LABEL_SETS) == 1);
	list[0].text = "acne";
	check(now((uintptr_t)g) != ref && cgoheap_counted(COUNT_LABEL_SETS) == 2);
	check(now(0) == 0);
	g[OFFSET / 8] = 0;
	check(now((uintptr_t)g) == 0 && cgoheap_counted(COUNT_LOST_LABELS) == 0);
	cgoheap_labels.goroutine_offset = 0;
	g[OFFSET / 8] = 1; // not looked at
	check(now((uintptr_t)g) == 0 && cgoheap_counted(COUNT_LOST_LABELS) == 0);
}

static void *named(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "fifteen-letters");
	uint32_t ref = now(0);
	check(strcmp(shown(ref), "thread=fifteen-letters") == 0);
	prctl(PR_SET_NAME, "");
	check(now(0) == 0);
	return NULL;
}

static void thread(void)
{
	pthread_t t;
	begin();
	cgoheap_labels.of_thread = LABEL_NAME;
	cgoheap_labels.goroutine_offset = 0;
	pthread_create(&t, NULL, named, NULL);
	pthread_join(t, NULL);
}

static void bounds(void)
{
	static char text[2000];
	begin();
	memset(text, 'x', sizeof text - 1);
	add("long", text);
	uint32_t ref = now((uintptr_t)g);
	check(strlen(shown(ref)) == 5 + LABEL_TEXT_BYTES && cgoheap_counted(COUNT_LABELS_CUT) == 1);
	for (int i = 0; i < 20; i++)
		add("more", text + sizeof text - 101);
	ref = now((uintptr_t)g);
	check(((struct labels *)region_ref(ref))->size <= LABELS_BYTES && cgoheap_counted(COUNT_LABELS_CUT) > 2);
	set.length = 41;
	check(now((uintptr_t)g) == 0 && cgoheap_counted(COUNT_LOST_LABELS) == 1); // longer than its capacity
}

// Whatever the words are, no unmapped memory is read.
static void lies(void)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(page + 4096, 4096);
	uintptr_t edge = (uintptr_t)page + 4096;
	const uintptr_t bad[] = {1, 8, 4096, edge, edge - 8, edge - 4, ~7UL, 1UL << 63, 0x00007fffffffe000};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		begin();
		g[OFFSET / 8] = bad[i];
		check(now((uintptr_t)g) == 0 && cgoheap_counted(COUNT_LOST_LABELS) == 1);
		begin();
		add("key", "text");
		set.list = (void *)bad[i];
		check(now((uintptr_t)g) == 0 && cgoheap_counted(COUNT_LOST_LABELS) == 1);
		begin();
		add("key", "text");
		list[0].text = (void *)(bad[i] == edge - 8 ? edge : bad[i]);
		list[0].text_size = ~0UL;
		check(now((uintptr_t)g) == 0 && cgoheap_counted(COUNT_LOST_LABELS) == 1);
		check(now(bad[i] - OFFSET) == 0 && cgoheap_counted(COUNT_LOST_LABELS) == (bad[i] == edge - 8 ? 1 : 2));
	}
	begin();
	add("key", page + 4092);
	list[0].text_size = 4; // up to the edge
	check(now((uintptr_t)g) != 0);
	munmap(page, 4096);
}

static void found(void)
{
	begin();
	uintptr_t other[256] = {0};
	check(labels_find((uintptr_t)g, (uintptr_t)&set) == OFFSET);
	other[3] = other[9] = 77;
	check(labels_find((uintptr_t)other, 77) == 0);
	other[9] = 0;
	check(labels_find((uintptr_t)other, 77) == 24);
	check(labels_find((uintptr_t)other, 78) == 0);
}

#define THREADS 4

static void *intern_all(void *refs)
{
	for (uint32_t i = 0; i < 3000; i++)
		((uint32_t *)refs)[i] = labels_intern((const char *)&i, sizeof i);
	return NULL;
}

static void interned_once(void)
{
	static uint32_t refs[THREADS][3000];
	pthread_t t[THREADS];
	begin();
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, intern_all, refs[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 3000; i++)
		for (int k = 0; k < THREADS; k++)
			check(refs[k][i] == refs[0][i] && refs[0][i] != 0);
	check(cgoheap_counted(COUNT_LABEL_SETS) == 3000);
}

static void too_many(void)
{
	begin();
	for (uint32_t i = 0; i < LABEL_SETS; i++)
		check(labels_intern((const char *)&i, sizeof i) != 0);
	uint32_t more = LABEL_SETS, known = 5;
	check(labels_intern((const char *)&more, sizeof more) == 0 && cgoheap_counted(COUNT_LOST_LABELS) == 1);
	check(labels_intern((const char *)&known, sizeof known) != 0);
}

int main(void)
{
	run("a goroutine's labels are read and interned", goroutine);
	run("a thread's name is a label", thread);
	run("long labels are cut and long sets are bounded", bounds);
	run("labels that are not where they should be are not read", lies);
	run("a word of g is found if it is the only one", found);
	run("threads that intern the same labels get the same", interned_once);
	run("too many sets are refused, and known ones found", too_many);
}

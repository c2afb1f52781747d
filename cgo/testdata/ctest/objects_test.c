// Libraries that come and go while a walk reads which one it met. The test makes up the loader, so it needs a static variable of
// objects.c. It includes that file, and renames its functions, because it is linked with another copy of them.
#define objects_prepare test_prepare
#define objects_allow test_allow
#define objects_allowed test_allowed
#define object_at test_object_at
#define object_rule test_object_rule
#include "../../objects.c"

#include "../../layout.h"
#include "check.h"

enum { OLD, NEW, UNREADABLE, NONE, MOST_ANSWERS = 8 };

static struct link_map maps[2];
static char names[2][16] = {"/lib/old.so", "/lib/new.so"};
static uint64_t opened;           // a word of the loader's
static struct loads loads;
static int answers[MOST_ANSWERS]; // the library at the address, each time that the loader is asked
static int opens_at;              // before which answer the old library becomes the new one, at the same address; -1: before none
static int asked;                 // how often

static int answer(void *address, struct dl_object *result)
{
	if (asked == opens_at) {
		opened++;
		maps[0].l_name = names[1];
	}
	int library = answers[asked++ % MOST_ANSWERS];
	uintptr_t page = (uintptr_t)address & ~4095UL;
	struct link_map *map = library == UNREADABLE ? (struct link_map *)16 : &maps[library == NEW];
	*result = (struct dl_object){.start = (void *)page, .end = (void *)(page + 4096), .link_map = map};
	return library == NONE ? -1 : 0;
}

// The path of the library that is met, where the loader answers as the text says: one letter an answer, o for the old
// library, n for the new one, u for one that cannot be read, - for none; the last one from there on. NULL if none is met.
static const char *met(const char *text, int opens)
{
	static const uint8_t code[64];
	static struct copy copy;
	struct memory m = {.thread = &cgoheap_thread, .copy = &copy};
	const struct object *object = NULL;
	for (int i = 0; i < MOST_ANSWERS; i++) {
		static const char letters[] = "onu-";
		char c = i < (int)strlen(text) ? text[i] : text[strlen(text) - 1];
		answers[i] = strchr(letters, c) - letters;
	}
	for (int i = 0; i < 2; i++)
		maps[i].l_name = names[i];
	asked = 0;
	opens_at = opens;
	copy.size = 0;
	if (cgoheap_region != NULL)
		region_close();
	check(layout_open(NULL, 16 << 20, 1) == 0);
	uint32_t number = object_at((uintptr_t)code, &loads, &m, &object);
	memory_end(&m);
	check(number == 0 || (number >= OBJECT_FIRST && object != NULL));
	return number == 0 ? NULL : object->is.path;
}

static bool is(const char *path, int library)
{
	return path != NULL && strcmp(path, names[library]) == 0;
}

static void coming_and_going(void)
{
	loads = (struct loads){.words = {{&opened, 0}}, .adds = 1};
	ask_loader = answer;
	check(is(met("o", -1), 0) && asked == 2);
	check(met("-", -1) == NULL && met("o-", -1) == NULL && met("u", -1) == NULL);
	check(is(met("on", -1), 1) && asked == 4); // it was closed, and another is there
	check(is(met("o", 0), 1) && asked == 3);  // the loader has opened another meanwhile
	check(met("onononon", -1) == NULL && asked == 2 * TRIES);
}

int main(void)
{
	run("a library that is closed while it is read is not believed", coming_and_going);
}

// How libraries that come and go are noticed, in a program that is linked dynamically: the other tests are built as if
// for a static program, where nothing is noticed.
#undef CGOHEAP_WRAP
#define loads_read read_loads
#define loads_biases read_biases
#include "../../loads.c"

#include "check.h"

#define LIBRARY "libresolv.so.2" // any that is not there yet

#if defined(__GLIBC__)
static void *open_library(void)
{
	void *library = dlopen(LIBRARY, RTLD_NOW);
	check(library != NULL);
	return library;
}

static int words_with(uint64_t value)
{
	const ElfW(Sym) *symbol = NULL;
	Dl_info info;
	const uint64_t *globals = dlsym(RTLD_DEFAULT, "_rtld_global");
	check(globals != NULL && dladdr1(globals, &info, (void **)&symbol, RTLD_DL_SYMENT) != 0 && symbol != NULL);
	int found = 0;
	for (size_t i = 0; i < symbol->st_size / sizeof *globals; i++)
		found += globals[i] == value;
	return found;
}

// Opens and closes until another word of the loader's has the value of its count.
static bool confuse(void)
{
	struct numbers now;
	for (int i = 0; i < 2000; i++) {
		dl_iterate_phdr(take_numbers, &now);
		if (now.count > 8 && words_with(now.count) > 1)
			return true;
		check(dlclose(open_library()) == 0);
	}
	return false;
}

// The first read looks for the words, so all of this is one test.
static void noticed(void)
{
	struct loads l;
	if (!confuse())
		printf("    no other word had the count's value\n");
	loads_read(&l);
	int taken = l.adds;
	check(taken > 0 && !loads_since(&l) && loads_none_since(&l));
	void *library = open_library();
	check(loads_since(&l) && !loads_none_since(&l));
	loads_read(&l);
	check(l.adds > 0 && l.adds <= taken && !loads_since(&l) && loads_none_since(&l));
	check(dlclose(library) == 0);
	check(loads_since(&l) && loads_none_since(&l));
}
#else
static void noticed(void)
{
	struct loads l;
	loads_read(&l);
	check(!loads_since(&l) && !loads_none_since(&l));
}
#endif

int main(void)
{
	run("libraries that come and go are noticed, and words that do not count them are dropped", noticed);
}

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan && !cgoheap_wrap

// A driver may be opened, closed and opened again, there may be two, and another library may have functions of the same names in
// front of it. So a hook stands for one function at one address, and each other function that is found gets a hook of its own. None of
// this waits for a lock of ours: a thread that looks for a function may have the loader's in its hand.

#include "real_driver.h"

#include "real_objects.h"

#define DRIVERS 4

static struct driver drivers[DRIVERS];
static uint32_t leaving[DRIVERS]; // whether a thread is about to forget it
static uint32_t lost;

#define DRIVER_NAME(name, parameters) #name,
static const char *const names[] = {DRIVER_CALLS(DRIVER_NAME)};
#define DRIVER_FUNCTIONS (sizeof names / sizeof *names)

_Static_assert(sizeof(struct driver) == DRIVER_FUNCTIONS * sizeof(void *), "a driver is its functions");

// Threads that enter the same driver write the same.
static const struct driver *enter(void *const *found)
{
	for (int i = 0; i < DRIVERS; i++) {
		void **functions = (void **)&drivers[i], *none = NULL;
		if (__atomic_load_n(&leaving[i], __ATOMIC_ACQUIRE) != 0)
			continue;
		if (!__atomic_compare_exchange_n(&functions[0], &none, found[0], 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) && none != found[0])
			continue;
		for (size_t f = 1; f < DRIVER_FUNCTIONS; f++)
			__atomic_store_n(&functions[f], found[f], __ATOMIC_RELEASE);
		return &drivers[i];
	}
	__atomic_add_fetch(&lost, 1, __ATOMIC_RELAXED);
	return NULL;
}

const struct driver *driver_of(const void *p)
{
	void *found[DRIVER_FUNCTIONS];
	return real_beside(p, names, found, DRIVER_FUNCTIONS) && found[0] != NULL ? enter(found) : NULL;
}

const struct driver *driver_any(const void *own)
{
	void *init = real_other(own, names[0]);
	return init == NULL ? NULL : driver_of(init);
}

int driver_bind(struct binding *bindings, int n, void *real, const struct driver *driver)
{
	for (int i = 0; i < n; i++) {
		void *none = NULL;
		if (!__atomic_compare_exchange_n(&bindings[i].taken, &none, real, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) && none != real)
			continue;
		__atomic_store_n(&bindings[i].driver, driver, __ATOMIC_RELAXED);
		__atomic_store_n(&bindings[i].real, real, __ATOMIC_RELEASE); // last: whoever sees it reads the driver
		return i;
	}
	__atomic_add_fetch(&lost, 1, __ATOMIC_RELAXED);
	return -1;
}

void driver_unbind(struct binding *b, const struct driver *gone)
{
	if (__atomic_load_n(&b->driver, __ATOMIC_RELAXED) != gone)
		return;
	__atomic_store_n(&b->real, NULL, __ATOMIC_RELEASE);
	__atomic_store_n(&b->taken, NULL, __ATOMIC_RELEASE);
}

uint32_t driver_lost(void)
{
	return __atomic_load_n(&lost, __ATOMIC_RELAXED);
}

bool driver_known(void)
{
	for (int i = 0; i < DRIVERS; i++)
		if (__atomic_load_n(&drivers[i].cuInit, __ATOMIC_RELAXED) != NULL)
			return true;
	return false;
}

static bool is_gone(int i)
{
	void *init = __atomic_load_n((void **)&drivers[i], __ATOMIC_ACQUIRE), *found = NULL;
	return init != NULL && !(real_beside(init, names, &found, 1) && found == init);
}

// Another library may be opened at the same address meanwhile: it is looked for once more when nobody takes it for the driver.
bool driver_gone(const struct driver **gone)
{
	for (int i = 0; i < DRIVERS; i++) {
		uint32_t no = 0;
		if (!is_gone(i) || !__atomic_compare_exchange_n(&leaving[i], &no, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		*gone = &drivers[i];
		if (is_gone(i))
			return true;
		__atomic_store_n(&leaving[i], 0, __ATOMIC_RELEASE);
	}
	return false;
}

void driver_forget(const struct driver *gone)
{
	__atomic_store_n((void **)&drivers[gone - drivers], NULL, __ATOMIC_RELEASE);
	__atomic_store_n(&leaving[gone - drivers], 0, __ATOMIC_RELEASE);
}

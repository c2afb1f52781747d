// The drivers of devices that are loaded, and which of their functions the hooks stand for. See real_driver.c.
#ifndef CGOHEAP_REAL_DRIVER_H
#define CGOHEAP_REAL_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What a driver is asked. A function is NULL if it lacks it.
#define DRIVER_CALLS(X) \
	X(cuInit, (unsigned flags)) \
	X(cuCtxGetCurrent, (void **context)) \
	X(cuCtxGetDevice, (int *device)) \
	X(cuDevicePrimaryCtxGetState, (int device, unsigned *flags, int *active)) \
	X(cuPointerGetAttribute, (void *to, int attribute, uint64_t p))

#define DRIVER_POINTER(name, parameters) int(*name) parameters;
struct driver {
	DRIVER_CALLS(DRIVER_POINTER)
};
#undef DRIVER_POINTER

// A function of a driver that a hook stands for: the hook calls it.
struct binding {
	void *taken; // the function that it is for, also while a thread binds it; NULL for none
	void *real;  // the same once driver is known
	const struct driver *driver;
};

// The driver that p is in: an object that has cuInit itself. NULL for none. Takes the loader's locks.
const struct driver *driver_of(const void *p);

// Any driver that is loaded; NULL for none. Takes the loader's locks.
const struct driver *driver_any(const void *own);

// Binds one of n to a driver's function, if none is bound to it yet, and returns which; -1 if none is free.
int driver_bind(struct binding *bindings, int n, void *real, const struct driver *driver);

// Unbinds it, if it is bound to a function of this driver.
void driver_unbind(struct binding *b, const struct driver *gone);

// Whether a driver is known and its library is gone. Bindings to it must be cleared, and driver_forget must follow: until then no library is
// taken for it. Takes the loader's locks.
bool driver_gone(const struct driver **gone);
void driver_forget(const struct driver *gone);

// How often there was no room, in all: to know a driver, or to bind one of its functions, which then has no hook.
uint32_t driver_lost(void);

// Whether any driver is known.
bool driver_known(void);

#endif

// The operators new and delete of C++ that the hooks of operators.c call: their shapes, and the functions.
#ifndef CGOHEAP_REAL_OPERATORS_H
#define CGOHEAP_REAL_OPERATORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Finds the real operators, once the family is found, and tries which of them must be recorded. Called by real_find and real_try
// only. Do nothing without CGOHEAP_OPERATORS.
void real_find_operators(void);
void real_try_operators(void);

// The shapes with an alignment come last.
#define EACH_NEW(SHAPE)                                                                                                \
	SHAPE(NEW, _Znwm)                                                                                              \
	SHAPE(NEW_ARRAY, _Znam)                                                                                        \
	SHAPE(NEW_NOTHROW, _ZnwmRKSt9nothrow_t)                                                                        \
	SHAPE(NEW_ARRAY_NOTHROW, _ZnamRKSt9nothrow_t)                                                                  \
	SHAPE(NEW_ALIGNED, _ZnwmSt11align_val_t)                                                                       \
	SHAPE(NEW_ARRAY_ALIGNED, _ZnamSt11align_val_t)                                                                 \
	SHAPE(NEW_ALIGNED_NOTHROW, _ZnwmSt11align_val_tRKSt9nothrow_t)                                                 \
	SHAPE(NEW_ARRAY_ALIGNED_NOTHROW, _ZnamSt11align_val_tRKSt9nothrow_t)

// The partners of the shapes above come first, in the same order.
#define EACH_DELETE(SHAPE)                                                                                             \
	SHAPE(DELETE, _ZdlPv)                                                                                          \
	SHAPE(DELETE_ARRAY, _ZdaPv)                                                                                    \
	SHAPE(DELETE_NOTHROW, _ZdlPvRKSt9nothrow_t)                                                                    \
	SHAPE(DELETE_ARRAY_NOTHROW, _ZdaPvRKSt9nothrow_t)                                                              \
	SHAPE(DELETE_ALIGNED, _ZdlPvSt11align_val_t)                                                                   \
	SHAPE(DELETE_ARRAY_ALIGNED, _ZdaPvSt11align_val_t)                                                             \
	SHAPE(DELETE_ALIGNED_NOTHROW, _ZdlPvSt11align_val_tRKSt9nothrow_t)                                             \
	SHAPE(DELETE_ARRAY_ALIGNED_NOTHROW, _ZdaPvSt11align_val_tRKSt9nothrow_t)                                       \
	SHAPE(DELETE_SIZED, _ZdlPvm)                                                                                   \
	SHAPE(DELETE_ARRAY_SIZED, _ZdaPvm)                                                                             \
	SHAPE(DELETE_SIZED_ALIGNED, _ZdlPvmSt11align_val_t)                                                            \
	SHAPE(DELETE_ARRAY_SIZED_ALIGNED, _ZdaPvmSt11align_val_t)

#define AS_CONSTANT(shape, symbol) shape,
enum { EACH_NEW(AS_CONSTANT) NEWS };
enum { EACH_DELETE(AS_CONSTANT) DELETES };
#undef AS_CONSTANT

typedef void *new_function(size_t size, uintptr_t a, uintptr_t b);
typedef void delete_function(void *p, uintptr_t a, uintptr_t b);

struct real_new {
	new_function *call;
	bool passes; // not recorded here
};

struct real_delete {
	delete_function *call;
	bool passes;
};

extern struct real_new real_news[NEWS] __attribute__((visibility("hidden")));
extern struct real_delete real_deletes[DELETES] __attribute__((visibility("hidden")));

// Operators as the standard defines them, for shapes that no other object has.
new_function *real_standard_new(int shape);
delete_function *real_standard_delete(void);

#endif

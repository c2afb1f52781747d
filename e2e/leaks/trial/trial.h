/* What cases do, and the record that they keep of it. A case allocates in functions of its own, whose names say what becomes of
 * their blocks:
 *
 *	lost_    no word of the program points to the block when the case is at rest, or only words in other lost blocks do
 *	kept_    some word does
 *	freed_   the block was freed
 *	hidden_  some word knows where the block is, but no reader of memory could tell
 *	linked_  the program has lost the block, but a word of a library's still points to it
 *
 * Only tables of numbers are kept here, no addresses. */
#ifndef TRIAL_H
#define TRIAL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For functions whose names must stand in stacks. */
#define APART __attribute__((noinline))

struct trial_case {
	const char *name;
	void (*run)(void); /* returns at rest; what it began stays as it is */
};

/* Of each program; the last has no name. */
extern const struct trial_case trial_cases[];

/* How many bytes each allocating function of a case takes, about. Set before the case. */
extern size_t trial_bytes;

/* How many blocks of the size that is. */
size_t trial_number(size_t size);

/* Counts a block of the calling function, and returns it. */
#define COUNTED(block, size) trial_counted(__func__, (block), (size))
void *trial_counted(const char *function, void *block, size_t size);

/* Names the calling function, whose blocks are not counted, and returns the object that it made of them. */
#define MADE(object) trial_made(__func__, (object))
void *trial_made(const char *function, void *object);

/* The case frees a block that the function allocated. */
void trial_uncounted(const char *function, size_t size);

/* The function's blocks are held by what holder, a regular expression, matches in view=heldby. */
void trial_held(const char *function, const char *holder);

/* Each suspect of the function is told by a sentence that the regular expression matches. */
void trial_told(const char *function, const char *sentence);

/* Does nothing. But compilers leave out what nobody reads, so a case says that somebody reads its pointers. */
void trial_reads(const volatile void *memory);

struct trial_row {
	const char *function, *holder, *sentence; /* the last two are NULL if none was given */
	long blocks, bytes;            /* 0 if they are not counted */
};

/* Row i, or NULL if there are no more. */
const struct trial_row *trial_row(size_t i);

/* Runs body on a thread that does not end, and returns when the body calls trial_rests, which never returns. */
void trial_thread(void (*body)(void));
void trial_rests(void);

/* Runs body on a thread, and returns when the thread has ended. */
void trial_thread_ends(void (*body)(void));

#ifdef __cplusplus
}
#endif
#endif

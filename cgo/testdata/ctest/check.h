// A test is a function without arguments; a sentence says what it shows.
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The environment's ONLY, unless it is empty, names a part of the sentences to run.
static inline int wanted(const char *sentence)
{
	const char *only = getenv("ONLY");
	return only == NULL || strstr(sentence, only) != NULL;
}

#define check(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                        \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

// Repeats a statement until a condition holds, which chance decides; ten minutes take only what never holds.
#define until(condition, statement)                                                                                    \
	do {                                                                                                           \
		time_t begin = time(NULL);                                                                             \
		do {                                                                                                   \
			check(time(NULL) - begin < 600);                                                               \
			statement;                                                                                     \
		} while (!(condition));                                                                                \
	} while (0)

#define run(sentence, test)                                                                                            \
	do {                                                                                                           \
		if (!wanted(sentence))                                                                                 \
			break;                                                                                         \
		test();                                                                                                \
		printf("ok  %s\n", sentence);                                                                          \
	} while (0)

#endif

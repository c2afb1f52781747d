#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "victim.h"

enum { LONGEST = 4000 };

static void fill(char *text, size_t length)
{
	memset(text, 'v', length);
	text[length] = 0;
}

VICTIM_SITE char *victim_strdup(size_t length)
{
	char text[LONGEST + 1], *copy;
	if (length > LONGEST)
		return NULL;
	fill(text, length);
	copy = strdup(text);
	VICTIM_USE(copy);
	return copy;
}

/* The stream and its buffer are allocated apart from the line, by a function that is not a site. */
VICTIM_SITE static FILE *victim_open_line(char *text, size_t length, char *buffer)
{
	FILE *stream;
	fill(text, length);
	stream = fmemopen(text, length, "r");
	if (stream)
		setvbuf(stream, buffer, _IOFBF, BUFSIZ);
	return stream;
}

VICTIM_SITE char *victim_getline(size_t length, size_t *bytes)
{
	char text[LONGEST + 1], buffer[BUFSIZ], *line = NULL;
	FILE *stream = length > LONGEST ? NULL : victim_open_line(text, length, buffer);
	*bytes = 0;
	if (!stream)
		return NULL;
	if (getline(&line, bytes, stream) < 0)
		*bytes = 0;
	VICTIM_USE(line);
	fclose(stream);
	return line;
}

VICTIM_SITE char *victim_asprintf(size_t length)
{
	char *text = NULL;
	if (asprintf(&text, "%*s", (int)length, "v") < 0)
		return NULL;
	VICTIM_USE(text);
	return text;
}

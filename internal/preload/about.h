// The description of the process in the region, as package blackbox reads it.
#ifndef PRELOAD_ABOUT_H
#define PRELOAD_ABOUT_H

#include <stddef.h>

// Writes text as it stands in a string of JSON, cut where the room ends.
void about_escape(char *to, size_t room, const char *text);

// Describes this process, which runs the program with that path. Without room there is no description.
void about_describe(const char *program);

#endif

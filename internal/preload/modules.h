// The files that the loader has loaded when the program begins, and the index of their code in the region.
#ifndef PRELOAD_MODULES_H
#define PRELOAD_MODULES_H

#include <stdbool.h>
#include <stddef.h>

// Lists the files. program is the path of the executable. Takes the loader's locks: once, before the first recording.
void modules_list(const char *program);

// Says where the program, which is a Go program, calls C. After modules_list, before the first recording.
struct settings_go;
void modules_know_go(const struct settings_go *go);

// Enters them into the region's table, and publishes an index of their code. It has no rows: walks find rules in memory. Libraries that
// are opened later are met by walks. False if the region has no room.
bool modules_publish(void);

// Writes the files without a build ID as a list in JSON, as they were when they were listed: the fields of blackbox.LoadedFile. Those for
// which the room does not suffice are left out. Returns the length.
size_t modules_describe(char *to, size_t room);

#endif

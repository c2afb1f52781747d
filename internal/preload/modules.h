// The files that the loader has loaded when the program begins, and the index of their code in the region.
#ifndef PRELOAD_MODULES_H
#define PRELOAD_MODULES_H

#include <stdbool.h>

// Lists the files. program is the path of the executable. Takes the loader's locks: once, before the first recording.
void modules_list(const char *program);

// Enters them into the region's table, and publishes an index of their code. It has no rows: walks find rules in memory. Libraries that
// are opened later are met by walks. False if the region has no room.
bool modules_publish(void);

#endif

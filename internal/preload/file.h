// The file that the tables lie in: a box, as package blackbox makes them.
#ifndef PRELOAD_FILE_H
#define PRELOAD_FILE_H

#include <stdint.h>

#include "region.h"

// Makes a file of so many bytes for the program with a name, all holes, which only its owner may open, locks it, and maps it. The lock
// lasts as long as the mapping. The path in *file stays valid until the next call. 0, or an errno.
int file_make(struct region_file *file, const char *directory, const char *program, uint64_t size);

// Removes a file that was made and not mapped by others. Of a segment there is none.
void file_remove(const struct region_file *file);

#endif

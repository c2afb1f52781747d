#include "gos.h"

#include <stdlib.h>

#include "trial.h"

#define DEFINED(name) APART void *name(void) { return COUNTED(malloc(GOS_SIZE), GOS_SIZE); }
GOS_BLOCKS(DEFINED)

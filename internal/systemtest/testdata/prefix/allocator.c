#define BUMP_ROOM (64ULL << 20)
#define BUMP(f) my_##f
#include "bump.h"

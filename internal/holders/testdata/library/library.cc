// A library with variables, which the program links or opens.
#include <stddef.h>

namespace app {
struct cache {
	static void *entries[1024];
	void *first, *second;
};
void *cache::entries[1024];
} // namespace app

static app::cache hidden;
static void *array[4096];
thread_local void *recent;
static thread_local void *mine[8];

extern "C" void *library_variable(int which)
{
	static app::cache once;
	switch (which) {
	case 0: return &app::cache::entries[0];
	case 1: return &app::cache::entries[1000];
	case 2: return &hidden.second;
	case 3: return &once.first;
	case 4: return &recent;
	case 5: return &mine[3];
	}
	return &array[which];
}

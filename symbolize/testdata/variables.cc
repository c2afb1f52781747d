// Variables of every kind, whose names tests compare with those of nm and llvm-symbolizer.
#include <map>
#include <string>
#include <vector>

std::vector<int *> sessions;
static std::map<std::string, int> cache;
void *table[512];
extern void *alias[512] __attribute__((alias("table")));
struct pair { void *first, *second; } pair = {&pair, nullptr};
const char *const words[] = {"one", "two"};
thread_local void *current;
static thread_local std::vector<int *> scratch;

namespace app {
struct server {
	static server *instance;
	void *connections[4];
};
server *server::instance;
namespace {
server hidden;
}
template <typename T> struct pool {
	static T *free;
};
template <typename T> T *pool<T>::free;
} // namespace app

static int &counter(int start)
{
	static int count;
	static std::vector<int> list{1, 2, 3};
	static thread_local int nested;
	count += start + list[0] + ++nested;
	return count;
}

int main(int argc, char **argv)
{
	(void)argv;
	sessions.push_back(&counter(argc));
	cache["a"] = argc;
	scratch.push_back(sessions[0]);
	current = table[argc] = alias[argc] = &pair;
	app::hidden.connections[1] = app::pool<char>::free = (char *)words[argc & 1];
	app::server::instance = &app::hidden;
	return app::pool<char>::free != nullptr && current != nullptr;
}

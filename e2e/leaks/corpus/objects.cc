// Blocks whose pointers do not point to their begin: arrays with a count in front, and bases that are not the first. And owners
// that let go.
#include <memory>
#include <vector>

#include "trial.h"

namespace {

struct first {
	virtual ~first() {}
	char text[500];
};

struct second {
	virtual ~second() {}
	char text[500];
};

struct both : first, virtual second {
};

constexpr size_t elements = 16;

APART second *kept_by_second_base() { return static_cast<both *>(COUNTED(new both, sizeof(both))); }
APART second *lost_by_second_base() { return static_cast<both *>(COUNTED(new both, sizeof(both))); }

// Its destructor makes new[] store the number of elements in front.
struct element {
	~element() { text[0] = 0; }
	char text[64];
};

APART element *kept_array() { return static_cast<element *>(MADE(new element[elements])); }
APART element *lost_array() { return static_cast<element *>(MADE(new element[elements])); }

std::vector<second *> bases;
std::vector<element *> arrays;
element *volatile last_array;
second *volatile last_base;

struct tied {
	std::shared_ptr<tied> other;
	char text[1000];
};

APART std::shared_ptr<tied> kept_by_shared_ptr()
{
	auto made = std::make_shared<tied>();
	MADE(made.get());
	return made;
}

APART std::shared_ptr<tied> lost_in_cycle()
{
	auto made = std::make_shared<tied>();
	MADE(made.get());
	return made;
}

APART std::unique_ptr<tied> lost_by_release()
{
	auto made = std::unique_ptr<tied>(new tied);
	MADE(made.get());
	return made;
}

std::vector<std::shared_ptr<tied>> shared;
tied *volatile released;

void tie(const std::shared_ptr<tied> &a, const std::shared_ptr<tied> &b)
{
	a->other = b;
	b->other = a;
}

} // namespace

extern "C" void objects(void)
{
	for (size_t i = 0; i < trial_number(sizeof(both)); i++) {
		bases.push_back(kept_by_second_base());
		last_base = lost_by_second_base();
		arrays.push_back(kept_array());
		last_array = lost_array();
	}
	last_base = nullptr;
	last_array = nullptr;
	trial_held("kept_by_second_base", "global .*bases|block allocated in ");
	trial_held("kept_array", "global .*arrays|block allocated in ");
}

extern "C" void owners(void)
{
	for (size_t i = 0; i < trial_number(2 * sizeof(tied)); i++) {
		shared.push_back(kept_by_shared_ptr());
		tie(shared.back(), kept_by_shared_ptr());
		tie(lost_in_cycle(), lost_in_cycle());
		released = lost_by_release().release();
	}
	released = nullptr;
	trial_held("kept_by_shared_ptr", "global .*shared|block allocated in ");
}

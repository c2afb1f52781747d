// Held by C++ statics, and erased from them without delete.
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "trial.h"

namespace {

constexpr size_t size = 1000;

std::map<size_t, char *> ordered;
std::unordered_map<size_t, char *> unordered;

APART char *kept_in_map() { return static_cast<char *>(COUNTED(new char[size], size)); }
APART char *lost_from_map() { return static_cast<char *>(COUNTED(new char[size], size)); }
APART char *kept_in_unordered_map() { return static_cast<char *>(COUNTED(new char[size], size)); }
APART char *lost_from_unordered_map() { return static_cast<char *>(COUNTED(new char[size], size)); }
APART std::string *kept_string() { return static_cast<std::string *>(MADE(new std::string(size, 'a'))); }
APART std::string *lost_string() { return static_cast<std::string *>(MADE(new std::string(size, 'a'))); }

std::vector<std::string *> &strings()
{
	static std::vector<std::string *> all;
	return all;
}

} // namespace

// The nodes of maps are allocated in functions of the library; they are small, so sampling seldom records them.
extern "C" void statics(void)
{
	for (size_t i = 0; i < trial_number(size); i++) {
		ordered[2 * i] = kept_in_map();
		ordered[2 * i + 1] = lost_from_map();
		unordered[2 * i] = kept_in_unordered_map();
		unordered[2 * i + 1] = lost_from_unordered_map();
	}
	for (size_t i = 0; i < trial_number(size); i++) {
		ordered.erase(2 * i + 1);
		unordered.erase(2 * i + 1);
	}
	trial_held("kept_in_map", "block allocated in statics");
	trial_held("kept_in_unordered_map", "block allocated in statics");
}

// A string is a small block that points to a larger one.
extern "C" void strings_in_static(void)
{
	for (size_t i = 0; i < trial_number(size); i++) {
		strings().push_back(kept_string());
		strings().push_back(lost_string());
	}
	std::vector<std::string *> rest;
	for (size_t i = 0; i < strings().size(); i += 2)
		rest.push_back(strings()[i]);
	strings().swap(rest);
	trial_held("kept_string", "block allocated in");
}

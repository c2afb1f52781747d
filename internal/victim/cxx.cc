#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "victim.h"

namespace victim {

template <typename T> VICTIM_SITE T *make_array(std::size_t count)
{
	T *array = new T[count];
	VICTIM_USE(array);
	return array;
}

// Always inlined, without a frame of its own: only debug data shows that it was there.
__attribute__((always_inline)) inline void *inlined_helper(std::size_t size)
{
	void *block = std::malloc(size);
	VICTIM_USE(block);
	return block;
}

VICTIM_SITE void *caller_of_inlined(std::size_t size)
{
	void *block = inlined_helper(size);
	VICTIM_USE(block);
	return block;
}

// Whenever the capacity changed, push_back has allocated the new and released the old.
VICTIM_SITE void push_back(std::vector<std::int64_t> &vector, victim_vector &counts)
{
	std::size_t before = vector.capacity();
	vector.push_back(1);
	if (vector.capacity() == before)
		return;
	counts.growths++;
	counts.held = vector.capacity() * sizeof(std::int64_t);
	counts.bytes += counts.held;
}

// A growing string would ask for twice what it had: build it in one step.
VICTIM_SITE void assign(std::string &string, std::size_t length)
{
	std::string built(length, 'v');
	string.swap(built);
}

struct thrown {
	std::size_t size;
};

VICTIM_SITE void thrower(std::size_t size)
{
	throw thrown{size};
}

// The block is released by the landing pad of this frame, while the exception passes.
VICTIM_SITE void holder(unsigned depth, std::size_t size)
{
	std::unique_ptr<char[]> held(new char[size]);
	VICTIM_USE(held.get());
	if (depth > 1)
		holder(depth - 1, size);
	else
		thrower(size);
}

VICTIM_SITE victim_pair catcher(unsigned depth, std::size_t size)
{
	victim_pair pair = {std::malloc(size), nullptr};
	try {
		holder(depth, size);
	} catch (const thrown &exception) {
		pair.second = std::malloc(exception.size);
	}
	VICTIM_USE(&pair);
	return pair;
}

// The containers lie in a ring of static storage, so that only their content is allocated.
template <typename T> T *next_in_ring()
{
	static T ring[1024];
	static std::size_t next;
	return &ring[__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) % 1024];
}

} // namespace victim

extern "C" {

VICTIM_SITE void *victim_cxx_new(size_t size)
{
	void *block = ::operator new(size);
	VICTIM_USE(block);
	return block;
}

void victim_cxx_delete(void *block)
{
	::operator delete(block);
}

VICTIM_SITE void *victim_cxx_new_array(size_t size)
{
	char *block = new char[size];
	VICTIM_USE(block);
	return block;
}

void victim_cxx_delete_array(void *block)
{
	delete[] static_cast<char *>(block);
}

VICTIM_SITE void *victim_cxx_make_ints(size_t count)
{
	void *block = victim::make_array<int>(count);
	VICTIM_USE(block);
	return block;
}

VICTIM_SITE void *victim_cxx_make_doubles(size_t count)
{
	void *block = victim::make_array<double>(count);
	VICTIM_USE(block);
	return block;
}

VICTIM_SITE void *victim_cxx_inlined(size_t size)
{
	void *block = victim::caller_of_inlined(size);
	VICTIM_USE(block);
	return block;
}

VICTIM_SITE victim_vector victim_cxx_grow_vector(size_t count)
{
	auto *vector = victim::next_in_ring<std::vector<std::int64_t>>();
	victim_vector counts = {vector, 0, 0, 0};
	for (size_t i = 0; i < count; i++)
		victim::push_back(*vector, counts);
	return counts;
}

void victim_cxx_clear_vector(void *vector)
{
	std::vector<std::int64_t>().swap(*static_cast<std::vector<std::int64_t> *>(vector));
}

VICTIM_SITE void *victim_cxx_string(size_t length)
{
	auto *string = victim::next_in_ring<std::string>();
	victim::assign(*string, length);
	return string;
}

void victim_cxx_clear_string(void *string)
{
	std::string().swap(*static_cast<std::string *>(string));
}

VICTIM_SITE victim_pair victim_cxx_throw_and_catch(unsigned depth, size_t size)
{
	victim_pair pair = victim::catcher(depth, size);
	VICTIM_USE(&pair);
	return pair;
}

}

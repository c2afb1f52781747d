#include <algorithm>
#include <functional>
#include <iterator>
#include <locale>
#include <mutex>
#include <ostream>
#include <regex>
#include <streambuf>
#include <string>
#include <thread>
#include <vector>

#include "victim.h"
#include "walk.h"

namespace {

// A buffer that libstdc++'s formatted output overflows at once.
struct walking_buffer : std::streambuf {
	int_type overflow(int_type c) override
	{
		victim_walk_both();
		return traits_type::not_eof(c);
	}
};

// An iterator that std::regex compares and dereferences deep inside its recursive matcher.
struct walking_traits : std::regex_traits<char> {
	char translate_nocase(char c) const
	{
		victim_walk_both();
		return c;
	}
};

// A facet that std::time_put, in libstdc++.so, calls for each of its letters.
struct walking_ctype : std::ctype<char> {
	char do_narrow(char c, char) const override
	{
		victim_walk_both();
		return c;
	}
};

struct walks_when_destroyed {
	~walks_when_destroyed() { victim_walk_both(); }
};

VICTIM_SITE void throw_past_destructor()
{
	walks_when_destroyed passed;
	VICTIM_USE(&passed);
	throw 42;
}

} // namespace

extern "C" {

VICTIM_SITE void victim_walk_from_sort(void)
{
	std::vector<int> numbers;
	for (int i = 0; i < 40; i++)
		numbers.push_back(i * 7 % 40);
	std::sort(numbers.begin(), numbers.end(), [](int a, int b) {
		victim_walk_both();
		return a < b;
	});
	VICTIM_USE(numbers.data());
}

VICTIM_SITE void victim_walk_from_for_each(void)
{
	int numbers[] = {1, 2, 3};
	std::for_each(std::begin(numbers), std::end(numbers), [](int) { victim_walk_both(); });
	VICTIM_USE(numbers);
}

VICTIM_SITE void victim_walk_from_function(void)
{
	std::function<void()> inner = [] { victim_walk_both(); }, outer = [&inner] { inner(); };
	VICTIM_USE(&outer);
	outer();
	VICTIM_USE(&outer);
}

VICTIM_SITE void victim_walk_from_ostream(void)
{
	walking_buffer buffer;
	std::ostream stream(&buffer);
	stream << 1.25 << " and " << 42 << std::endl;
	VICTIM_USE(&stream);
}

VICTIM_SITE void victim_walk_from_regex(void)
{
	std::basic_regex<char, walking_traits> pattern("(a|b)*c+", std::regex::icase);
	bool matched = std::regex_match("abbacc", pattern);
	VICTIM_USE(&matched);
}

VICTIM_SITE void victim_walk_from_locale(void)
{
	walking_buffer buffer;
	std::ostream stream(&buffer);
	stream.imbue(std::locale(std::locale::classic(), new walking_ctype));
	std::tm when = {};
	const auto &put = std::use_facet<std::time_put<char>>(stream.getloc());
	const char format[] = "%Y-%m";
	put.put(std::ostreambuf_iterator<char>(stream), stream, ' ', &when, format, format + sizeof format - 1);
	VICTIM_USE(&stream);
}

VICTIM_SITE void victim_walk_from_cxx_thread(void)
{
	std::thread thread([] { victim_walk_both(); });
	thread.join();
	VICTIM_USE(&thread);
}

VICTIM_SITE void victim_walk_from_call_once(void)
{
	std::once_flag once;
	std::call_once(once, [] { victim_walk_both(); });
	VICTIM_USE(&once);
}

VICTIM_SITE void victim_walk_from_destructor_in_flight(void)
{
	try {
		throw_past_destructor();
	} catch (int) {
	}
}

}

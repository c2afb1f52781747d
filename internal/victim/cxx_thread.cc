#include <new>
#include <pthread.h>

#include "victim.h"

namespace victim {

// Its destructor runs when its thread ends, after the thread's function has returned.
struct last_words {
	size_t size = 0;
	void **kept = nullptr;
	VICTIM_SITE ~last_words()
	{
		void *block = ::operator new(size);
		VICTIM_USE(block);
		::operator delete(block);
		*kept = ::operator new(size);
		VICTIM_USE(kept);
	}
};

struct order {
	size_t size;
	void *kept;
};

static void *touch(void *argument)
{
	static thread_local last_words words;
	auto *of = static_cast<order *>(argument);
	words.size = of->size;
	words.kept = &of->kept;
	return nullptr;
}

} // namespace victim

extern "C" void *victim_cxx_thread_local(size_t size)
{
	victim::order order = {size, nullptr};
	pthread_t thread;
	if (pthread_create(&thread, nullptr, victim::touch, &order) == 0)
		pthread_join(thread, nullptr);
	return order.kept;
}

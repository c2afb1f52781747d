#include "vault.h"

#include <cstring>
#include <mutex>

namespace vault {

/* A Ledger is a list of blocks that only grows. A block's first word is the link to the one before. */
class Ledger {
public:
	__attribute__((noinline)) void enter(size_t bytes)
	{
		char *block = new char[bytes < sizeof(last_) ? sizeof(last_) : bytes];
		std::lock_guard<std::mutex> held(mutex_);
		std::memcpy(block, &last_, sizeof(last_));
		last_ = block;
	}

	__attribute__((noinline)) void lend(size_t bytes)
	{
		char *block = new char[bytes];
		std::memset(block, 1, bytes);
		asm volatile("" : : "r"(block) : "memory"); /* or the compiler leaves out the pair */
		delete[] block;
	}

private:
	std::mutex mutex_;
	char *last_ = nullptr;
};

Ledger ledger;

} // namespace vault

void vault_keep(size_t bytes)
{
	vault::ledger.enter(bytes);
}

void vault_lend(size_t bytes)
{
	vault::ledger.lend(bytes);
}

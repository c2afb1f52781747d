//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "credit.h"

#include "clock.h"

#define PATIENCE 4096 // how often to check whether another thread has finished: some microseconds

bool credit_take_back(void)
{
	uint64_t *total = &cgoheap_region->inuse.now;
	for (uint32_t i = 0; i < GATE_HOMES; i++) {
		uint64_t closed = credit_close(credit_of(i));
		if (closed != 0 && total_exact(__atomic_sub_fetch(total, closed, __ATOMIC_ACQ_REL)))
			return true;
	}
	for (int looks = 0; looks < PATIENCE; looks++)
		if (total_exact(__atomic_load_n(total, __ATOMIC_RELAXED)))
			return true;
	return false;
}

void credit_return(uint64_t *credit)
{
	uint64_t closed = credit_close(credit);
	if (closed != 0)
		__atomic_fetch_sub(&cgoheap_region->inuse.now, closed, __ATOMIC_ACQ_REL);
}

void credit_open(uint64_t *credit, uint64_t given)
{
	uint64_t none = 0;
	if (!__atomic_compare_exchange_n(credit, &none, given << 1 | OPENED, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
		__atomic_fetch_sub(&cgoheap_region->inuse.now, given * UNIT + SLOT, __ATOMIC_ACQ_REL);
		return;
	}
	// A thread that has forbidden credit since may have checked this slot before it had any.
	if ((__atomic_load_n(&cgoheap_region->inuse.peak, __ATOMIC_SEQ_CST) & (NO_CREDIT | DUE)) != 0)
		credit_return(credit);
}

bool credit_forbid(void)
{
	__atomic_fetch_or(&cgoheap_region->inuse.peak, NO_CREDIT, __ATOMIC_SEQ_CST);
	for (int patience = 10000; patience > 0; patience--) {
		if (total_exact(__atomic_load_n(&cgoheap_region->inuse.now, __ATOMIC_RELAXED)) || credit_take_back())
			return true;
		clock_pause(100000);
	}
	return false;
}

void credit_allow(void)
{
	__atomic_fetch_and(&cgoheap_region->inuse.peak, ~NO_CREDIT, __ATOMIC_SEQ_CST);
}

uint64_t credit_now(void)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < GATE_HOMES; i++)
		sum += __atomic_load_n(credit_of(i), __ATOMIC_RELAXED) >> 1;
	return sum;
}

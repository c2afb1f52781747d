//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "probe.h"

#include "_cgo_export.h"
#include "gate.h"
#include "labels.h"
#include "thread.h"

__attribute__((noinline)) void probe_call(struct probe *p)
{
	p->depth = cgoheap_walk_frames(p->frames, sizeof p->frames / sizeof *p->frames, &p->end, &p->goroutine);
}

__attribute__((noinline)) void probe_callback(struct probe *p)
{
	cgoheapProbeCallback(p);
	__asm__ volatile(""); // a frame of its own, not a jump
}

#define FIRST_BYTES 256 // of a g, among which the pointer to the m may lie

static bool leads_back(struct memory *m, uintptr_t g, uint32_t offset)
{
	uintptr_t of_g, g0, of_g0;
	return memory_load_copy(m, g + offset, &of_g) && memory_load_copy(m, of_g, &g0) && g0 != g &&
	       memory_load_copy(m, g0 + offset, &of_g0) && of_g0 == of_g;
}

uint32_t probe_m_offset(uintptr_t g)
{
	uint32_t found = 0, count = 0;
	struct memory m;
	struct copy copy;
	memory_begin(&m, &cgoheap_thread, (uintptr_t)&m, &copy);
	for (uint32_t offset = 16; offset < FIRST_BYTES; offset += 8) {
		if (!leads_back(&m, g, offset))
			continue;
		found = offset;
		count++;
	}
	memory_end(&m);
	return count == 1 ? found : 0;
}

uint32_t probe_labels(char *entries)
{
	struct probe p;
	struct memory m;
	probe_call(&p);
	struct copy copy;
	memory_begin(&m, &cgoheap_thread, (uintptr_t)&m, &copy);
	uint32_t size = labels_read(&m, p.goroutine, entries);
	memory_end(&m);
	return size;
}

static struct pass held[GATE_SLOTS];
static uint32_t holding;

bool probe_enter(uint32_t slots)
{
	uint32_t generation = __atomic_load_n(&cgoheap_generation, __ATOMIC_ACQUIRE);
	for (; holding < slots; holding++)
		if (!gate_enter(&held[holding], generation))
			return false;
	return true;
}

void probe_leave(void)
{
	while (holding > 0)
		gate_leave(held[--holding]);
}

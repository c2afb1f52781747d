//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "probe.h"

#include "_cgo_export.h"
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

uint32_t probe_labels(char *entries)
{
	struct probe p;
	struct memory m;
	probe_call(&p);
	memory_begin(&m, &cgoheap_thread, (uintptr_t)&m);
	return labels_read(&m, p.goroutine, entries);
}

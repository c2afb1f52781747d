//go:build linux && amd64 && cgo && !asan && !msan

#include "probe.h"

#include "_cgo_export.h"

__attribute__((noinline)) void probe_call(struct probe *p)
{
	p->depth = cgoheap_walk_frames(p->frames, sizeof p->frames / sizeof *p->frames, &p->end);
}

__attribute__((noinline)) void probe_callback(struct probe *p)
{
	cgoheapProbeCallback(p);
	__asm__ volatile(""); // a frame of its own, not a jump
}

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "real_nested.h"

bool real_nests;

static const struct thread *trying; // from the first trial on
static bool called;

bool real_calls_hooks(void (*trial)(int), int which)
{
	trying = &cgoheap_thread;
	called = false;
	trial(which);
	return called;
}

bool real_called_hook(void)
{
	if (trying == NULL || trying != &cgoheap_thread) // a thread has no storage before there are trials, perhaps
		return false;
	called = true;
	return true;
}

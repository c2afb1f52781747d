//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "real_nested.h"

bool real_nests;

static bool trying, called; // from the first trial on, until the gate is built

bool real_calls_hooks(void (*trial)(int), int which)
{
	trying = true;
	called = false;
	trial(which);
	return called;
}

bool real_called_hook(void)
{
	called = true;
	return trying;
}

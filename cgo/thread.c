//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "thread.h"

__thread struct thread cgoheap_thread;

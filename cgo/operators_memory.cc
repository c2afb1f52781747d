//go:build linux && (amd64 || arm64) && cgo && !asan && !msan && cgoheap_operators && !cgoheap_wrap

// Does what operator new must do when there is no memory, for programs that contain libstdc++ (-static-libstdc++).

#include "operators_memory.h"

#include <new>

void operators_out_of_memory()
{
	std::new_handler handler = std::get_new_handler();
	if (handler == nullptr)
		throw std::bad_alloc();
	handler();
}

bool operators_out_of_memory_nothrow()
{
	try {
		operators_out_of_memory();
		return true;
	} catch (...) {
		return false;
	}
}

void *operators_get_new_handler()
{
	return reinterpret_cast<void *>(std::get_new_handler);
}

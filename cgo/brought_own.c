//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#ifdef CGOHEAP_PREFIX

#define FAMILY_NAME(f) FAMILY_JOIN(CGOHEAP_PREFIX, f)
#define FAMILY_ROWS CGOHEAP_FAMILY

#include "brought.h"

#endif

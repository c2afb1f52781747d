//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "counters.h"

enum { FACT, LOSS };

#define TEXT(id, name, loss, sentence) {name, sentence, loss},
const struct counter_text cgoheap_counters[COUNTS] = {COUNTERS(TEXT)};

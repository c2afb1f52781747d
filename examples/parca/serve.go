package main

/*
#include <stdlib.h>
#include <string.h>

static void *fill_cache(size_t bytes) {
	void *block = malloc(bytes);
	if (block != NULL)
		memset(block, 1, bytes);
	return block;
}
*/
import "C"

import (
	"context"
	"time"
	"unsafe"
)

const (
	blockBytes = 64 << 10
	mostBlocks = 1000 // then the cache is emptied
)

// serve is the service: it fills a cache of native memory, with a block at each tick.
func serve(ctx context.Context, ticks <-chan time.Time) {
	var cache []unsafe.Pointer
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
			cache = append(cache, C.fill_cache(blockBytes))
		}
		if len(cache) == mostBlocks {
			for _, block := range cache {
				C.free(block)
			}
			cache = cache[:0]
		}
	}
}

package raster

// #include <stdlib.h>
// #include "raster.h"
import "C"

import (
	"errors"
	"unsafe"
)

// Cache remembers thumbnails by key, in native memory, and never forgets one. It may be used by several goroutines.
type Cache struct {
	native *C.struct_raster_cache
}

// OpenCache makes an empty cache. The caller owes a Close.
func OpenCache() (*Cache, error) {
	native := C.raster_cache_open()
	if native == nil {
		return nil, errors.New("opening a thumbnail cache: out of memory")
	}
	return &Cache{native}, nil
}

// Thumbnail is the picture at most width pixels wide, rendered if there is nothing under key yet.
func (c *Cache) Thumbnail(key string, picture []byte, width int) ([]byte, error) {
	nativeKey := C.CString(key)
	defer C.free(unsafe.Pointer(nativeKey))
	return take(C.raster_cache_thumbnail(c.native, nativeKey, start(picture), C.size_t(len(picture)), C.int(width)))
}

// Entries is the number of thumbnails that the cache holds.
func (c *Cache) Entries() int { return int(C.raster_cache_entries(c.native)) }

// Close frees the cache and all its thumbnails.
func (c *Cache) Close() { C.raster_cache_close(c.native) }

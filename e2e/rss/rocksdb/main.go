//go:build rss

// Command rocksdb writes, reads, scans and compacts a database of RocksDB, in the folder where it runs.
package main

/*
#cgo LDFLAGS: -lrocksdb
#cgo CFLAGS: -O2 -Wall
#include "store.h"
*/
import "C"

import (
	"errors"
	"unsafe"

	"github.com/cgoheap/cgoheap/e2e/rss/audit"
)

func main() { audit.Main(audit.Load{Threads: 4, Warm: 100, Prepare: prepare, Round: round}) }

func prepare() error {
	path := C.CString("database")
	defer C.free(unsafe.Pointer(path))
	return failure(C.store_open(path))
}

func round(thread int) error { return failure(C.store_round(C.int(thread))) }

func failure(text *C.char) error {
	if text == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(text))
	return errors.New(C.GoString(text))
}

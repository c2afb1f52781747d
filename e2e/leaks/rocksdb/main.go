//go:build leaks

// Command rocksdb loses iterators and batches of RocksDB.
package main

/*
#cgo LDFLAGS: -lrocksdb
#cgo CFLAGS: -Wall -O2 -g -I${SRCDIR}/../trial
*/
import "C"

import "github.com/cgoheap/cgoheap/e2e/leaks/trial"

func main() { trial.Main() }

//go:build rss

// Command xml2 parses documents with libxml2, searches them, changes them and writes them.
package main

/*
#cgo pkg-config: libxml-2.0
#cgo CFLAGS: -O2 -Wall
#include "documents.h"
*/
import "C"

import (
	"errors"

	"github.com/cgoheap/cgoheap/e2e/rss/audit"
)

func main() { audit.Main(audit.Load{Threads: 4, Warm: 5, Prepare: prepare, Round: round}) }

func prepare() error {
	C.documents_prepare()
	return nil
}

func round(thread int) error {
	if C.documents_round(C.int(thread)) != 0 {
		return errors.New("libxml2 failed")
	}
	return nil
}

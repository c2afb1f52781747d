//go:build rss

// Command vips makes pictures with libvips, changes them and writes them as JPEG and PNG.
package main

/*
#cgo pkg-config: vips
#cgo CFLAGS: -O2 -Wall
#include "pictures.h"
*/
import "C"

import (
	"errors"

	"github.com/cgoheap/cgoheap/e2e/rss/audit"
)

func main() { audit.Main(audit.Load{Threads: 3, Warm: 3, Prepare: prepare, Round: round}) }

func prepare() error {
	if C.pictures_begin() != 0 {
		return errors.New("libvips cannot be started")
	}
	return nil
}

func round(int) error {
	if C.pictures_round() != 0 {
		return errors.New("libvips failed")
	}
	return nil
}

// Command archive is the Go part of a C program, host/host.c.
package main

import "C"

import (
	"os"
	"path/filepath"

	_ "github.com/cgoheap/cgoheap/auto"
)

func main() {}

// archiveDumps returns how many dumps there are. Its caller waits until Go has begun.
//
//export archiveDumps
func archiveDumps() C.int {
	found, _ := filepath.Glob(filepath.Join(os.Getenv("CGOHEAP_DUMP_DIR"), "*.cgoheap.pb.gz"))
	return C.int(len(found))
}

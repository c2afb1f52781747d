// A program that records and writes a profile.
package main

// #include <stdlib.h>
import "C"

import (
	"log"
	"os"
	"unsafe"

	"github.com/cgoheap/cgoheap"
)

//go:noinline
func allocate() unsafe.Pointer { return C.malloc(12345) }

func main() {
	profiler, err := cgoheap.Start(cgoheap.Config{SampleBytes: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer C.free(allocate())
	file, err := os.Create("profile.pb.gz")
	if err != nil {
		log.Fatal(err)
	}
	if err := profiler.Write(file, cgoheap.Selection{View: cgoheap.ViewInUse()}); err != nil {
		log.Fatal(err)
	}
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
	if err := profiler.Stop(); err != nil {
		log.Fatal(err)
	}
}

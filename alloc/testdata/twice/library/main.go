// Command library is built as a library that contains cgoheap.
package main

// #include <stdlib.h>
// #include <sys/mman.h>
//
// static void *map_pages(size_t n) { return mmap(NULL, n, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
import "C"

import (
	"fmt"
	"os"
	"slices"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/cgo"
)

var name string

//export twice_try
func twice_try() {
	for n := range 1000 {
		C.free(C.realloc(C.calloc(C.size_t(n), 1), C.size_t(2*n+1)))
	}
	if os.Getenv("TWICE") == "off" {
		return
	}
	r, err := alloc.Start(alloc.Options{SampleBytes: 1, MaxDepth: 64, TableBytes: 64 << 20})
	if err != nil {
		fmt.Printf("%s: %v\n", name, err)
		return
	}
	p := C.malloc(1234567)
	defer C.free(p)
	s, err := r.Snapshot()
	if err != nil {
		fmt.Printf("%s: %v\n", name, err)
		return
	}
	objects := int64(0)
	for _, sample := range s.Samples {
		if sample.BlockSize == 1234567 {
			objects += sample.Values.InuseObjects
		}
	}
	if objects != 1 {
		fmt.Printf("%s counted %d blocks\n", name, objects)
		return
	}
	if os.Getenv("TWICE") == "functions" && cgo.RealFunction("malloc_trim") == nil {
		fmt.Printf("%s does not know the allocator's functions\n", name)
		return
	}
	const mapped = 41 << 12
	defer C.munmap(C.map_pages(mapped), mapped)
	ranges, err := r.Mappings(func() error { return nil })
	if err != nil {
		fmt.Printf("%s: %v\n", name, err)
		return
	}
	if n := len(slices.DeleteFunc(ranges, func(m alloc.Mapping) bool { return m.Length != mapped || len(m.Frames) < 3 })); n != 1 {
		fmt.Printf("%s knows %d ranges\n", name, n)
		return
	}
	fmt.Printf("%s records\n", name)
	// It goes on: the other's refusal is not for want of another turn.
}

func main() {}

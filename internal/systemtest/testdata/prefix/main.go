// A program with an allocator of its own, under names with a prefix. It prints how many bytes of its blocks are recorded.
package main

// #include <stddef.h>
// void *my_malloc(size_t size);
// void my_free(void *p);
import "C"

import (
	"bytes"
	"fmt"
	"log"
	"unsafe"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
)

const blocks, freed, size = 100, 40, 1000

func main() {
	p, err := cgoheap.Start(cgoheap.Config{SampleBytes: 1})
	if err != nil {
		log.Fatal(err)
	}
	var list [blocks]unsafe.Pointer
	for i := range list {
		list[i] = C.my_malloc(size)
	}
	for _, block := range list[:freed] {
		C.my_free(block)
	}
	fmt.Println(inUse(p))
}

// inUse returns the bytes in use of blocks that main allocated.
func inUse(p *cgoheap.Profiler) (sum int64) {
	var text bytes.Buffer
	if err := p.WriteProfile(&text); err != nil {
		log.Fatal(err)
	}
	parsed, err := profile.Parse(&text)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range parsed.Sample {
		for _, l := range s.Location {
			if len(l.Line) > 0 && l.Line[len(l.Line)-1].Function.Name == "main.main" {
				sum += s.Value[3] // inuse_space
			}
		}
	}
	return sum
}

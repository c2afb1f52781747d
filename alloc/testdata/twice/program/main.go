// Command program contains cgoheap, and opens libraries that do, too.
package main

// #cgo LDFLAGS: -ldl
// #include <dlfcn.h>
// #include <stdlib.h>
// static int try(const char *path, int scope) {
//	void *library = dlopen(path, RTLD_NOW | scope);
//	void (*try)(void) = library ? (void (*)(void))dlsym(library, "twice_try") : NULL;
//	if (try != NULL) try();
//	return try != NULL;
// }
import "C"

import (
	"fmt"
	"os"

	"github.com/cgoheap/cgoheap/alloc"
)

func main() {
	if os.Getenv("TWICE") != "off" {
		record()
	}
	scope := C.int(C.RTLD_LOCAL)
	for _, path := range os.Args[1:] {
		if path == "global" {
			scope = C.RTLD_GLOBAL
		} else if C.try(C.CString(path), scope) == 0 {
			fmt.Println(C.GoString(C.dlerror()))
			os.Exit(2)
		}
	}
}

func record() {
	r, err := alloc.Start(alloc.Options{SampleBytes: 1, MaxDepth: 64, TableBytes: 64 << 20})
	if err != nil {
		fmt.Println("program:", err)
		return
	}
	p := C.malloc(1234567)
	defer C.free(p)
	s, err := r.Snapshot()
	if err != nil {
		fmt.Println("program:", err)
		return
	}
	for _, sample := range s.Samples {
		if sample.BlockSize == 1234567 && sample.Values.InuseObjects == 1 {
			fmt.Println("program records")
		}
	}
}

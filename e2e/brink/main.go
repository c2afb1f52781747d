package main

// #cgo LDFLAGS: -ldl
// #include <dlfcn.h>
// #include <stdlib.h>
//
// static void *named(const char *path, const char *name) {
//	void *library = dlopen(path, RTLD_NOW);
//	return library ? dlsym(library, name) : NULL;
// }
// static void call(void *function, unsigned argument) { ((void (*)(unsigned))function)(argument); }
import "C"

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"unsafe"

	_ "github.com/cgoheap/cgoheap/auto"
)

func main() {
	if len(os.Args) != 3 {
		fail("brink LIBRARY STACKS")
	}
	stacks, err := strconv.ParseUint(os.Args[2], 10, 32)
	if err != nil {
		fail(err)
	}
	path, name := C.CString(os.Args[1]), C.CString("begin")
	begin := C.named(path, name)
	C.free(unsafe.Pointer(path))
	C.free(unsafe.Pointer(name))
	if begin == nil {
		fail(C.GoString(C.dlerror()))
	}
	for i := range stacks {
		C.call(begin, C.unsigned(i))
	}
	fmt.Println("there are", stacks, "stacks")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func fail(why any) {
	fmt.Fprintln(os.Stderr, "brink:", why)
	os.Exit(1)
}

package main

// #include <stdlib.h>
// #include <string.h>
// #include <sys/mman.h>
//
// static int blocks(size_t bytes, size_t size)
// {
//	for (size_t n = bytes / size; n > 0; n--) {
//		void *p = malloc(size);
//		if (p == NULL)
//			return -1;
//		memset(p, 1, size);
//	}
//	return 0;
// }
//
// enum { GUARD = 4096 };
//
// // Each mapping has a page that may not be used behind it, so that the kernel joins none.
// static int mappings(size_t bytes, size_t size)
// {
//	for (size_t n = bytes / size; n > 0; n--) {
//		char *p = mmap(NULL, size + GUARD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
//		if (p == MAP_FAILED || mprotect(p + size, GUARD, PROT_NONE) != 0)
//			return -1;
//		memset(p, 1, size);
//	}
//	return 0;
// }
import "C"

import (
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"slices"
)

// fills fill the process with bytes, and return a description.
var fills = map[string]func(bytes int) string{
	"large": func(bytes int) string { return blocks(bytes, 1e6) },
	"small": func(bytes int) string { return blocks(bytes, 100) },
	"mapped": func(bytes int) string {
		if failed, err := C.mappings(C.size_t(bytes), C.size_t(*each)); failed != 0 {
			log.Fatal(err)
		}
		return fmt.Sprintf("%d mappings of %d KiB", bytes / *each, *each>>10)
	},
}

func names() []string { return slices.Sorted(maps.Keys(fills)) }

func blocks(bytes, size int) string {
	if C.blocks(C.size_t(bytes), C.size_t(size)) != 0 {
		log.Fatal("malloc failed")
	}
	return fmt.Sprintf("%d blocks of %d bytes", bytes/size, size)
}

// again runs the program for one kind.
func again(kind string) error {
	c := exec.Command("/proc/self/exe", "-child", "-kinds", kind, "-bytes", fmt.Sprint(*size), "-rounds", fmt.Sprint(*rounds), "-each", fmt.Sprint(*each))
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return c.Run()
}

package main

// #include <errno.h>
// #include <stdint.h>
// #include <stdlib.h>
// #include <string.h>
// #include <sys/mman.h>
// #include <sys/prctl.h>
// #include <sys/wait.h>
// #include <time.h>
// #include <unistd.h>
//
// static void **head;
//
// static int block(size_t bytes)
// {
//	head = malloc(bytes);
//	if (head == NULL)
//		return -1;
//	memset(head, 1, bytes);
//	return 0;
// }
//
// static int list(size_t bytes, size_t size)
// {
//	for (size_t n = bytes / size; n > 0; n--) {
//		void **p = malloc(size);
//		if (p == NULL)
//			return -1;
//		memset(p, 1, size);
//		*p = head;
//		head = p;
//	}
//	return 0;
// }
//
// static int table(size_t bytes, size_t size)
// {
//	size_t count = bytes / size;
//	head = malloc(count * sizeof *head);
//	if (head == NULL)
//		return -1;
//	for (size_t i = 0; i < count; i++) {
//		head[i] = malloc(size);
//		if (head[i] == NULL)
//			return -1;
//		memset(head[i], 1, size);
//	}
//	return 0;
// }
//
// static int small_pages(void) { return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }
//
// // Returns how long the call of fork took, in nanoseconds.
// static int64_t forked(void)
// {
//	struct timespec begin, end;
//	clock_gettime(CLOCK_MONOTONIC, &begin);
//	pid_t child = fork();
//	if (child == 0)
//		_exit(0);
//	clock_gettime(CLOCK_MONOTONIC, &end);
//	if (child == -1)
//		return -1;
//	while (waitpid(child, NULL, 0) == -1)
//		if (errno != EINTR)
//			return -1;
//	return (end.tv_sec - begin.tv_sec) * INT64_C(1000000000) + end.tv_nsec - begin.tv_nsec;
// }
import "C"

import (
	"log"
	"os"
	"os/exec"
	"time"
)

const blockBytes = 1000

// a kind of memory: environment is of the process, fill fills it.
type kind struct {
	about       string
	environment string
	fill        func(bytes int)
}

// huge has glibc's malloc ask the kernel for huge pages.
const huge = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"

var kinds = map[string]kind{
	"block":      {"one block, small pages", "", func(bytes int) { useSmallPages(); fillBlock(bytes) }},
	"table":      {"a table, small pages", "", func(bytes int) { useSmallPages(); fillTable(bytes) }},
	"list":       {"a list, small pages", "", func(bytes int) { useSmallPages(); fillList(bytes) }},
	"huge":       {"one block, huge pages", huge, fillBlock},
	"huge table": {"a table, huge pages", huge, fillTable},
	"huge list":  {"a list, huge pages", huge, fillList},
}

func useSmallPages() {
	if failed, err := C.small_pages(); failed != 0 {
		log.Fatal(err)
	}
}

func fillBlock(bytes int) {
	if C.block(C.size_t(bytes)) != 0 {
		log.Fatal("malloc failed")
	}
}

func fillList(bytes int) {
	if C.list(C.size_t(bytes), blockBytes) != 0 {
		log.Fatal("malloc failed")
	}
}

func fillTable(bytes int) {
	if C.table(C.size_t(bytes), blockBytes) != 0 {
		log.Fatal("malloc failed")
	}
}

// fork returns how long a fork by libc took.
func fork() time.Duration {
	took, err := C.forked()
	if took < 0 {
		log.Fatal(err)
	}
	return time.Duration(took)
}

// again runs the program for one kind.
func again(name string, arguments ...string) error {
	c := exec.Command("/proc/self/exe", append(arguments, "-child", "-kinds", name)...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if more := kinds[name].environment; more != "" {
		c.Env = append(os.Environ(), more)
	}
	return c.Run()
}

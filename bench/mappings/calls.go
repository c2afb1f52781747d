package main

// #cgo CFLAGS: -O2 -fomit-frame-pointer
// #define _GNU_SOURCE
// #include <sys/mman.h>
// #include <sys/syscall.h>
// #include <time.h>
// #include <unistd.h>
//
// enum { PAGE = 4096, FRAMES = 14 };
//
// static int by_libc(void)
// {
//	void *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
//	return p == MAP_FAILED ? -1 : munmap(p, PAGE);
// }
//
// static int by_system_calls(void)
// {
//	long p = syscall(SYS_mmap, NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
//	return p == -1 ? -1 : (int)syscall(SYS_munmap, p, PAGE);
// }
//
// static __attribute__((noinline)) int below(int frames, int (*pair)(void))
// {
//	int result = frames == 0 ? pair() : below(frames - 1, pair);
//	__asm__ volatile("" ::: "memory");
//	return result;
// }
//
// // Returns nanoseconds, or -1.
// static double pairs(int count, int libc)
// {
//	struct timespec start, end;
//	clock_gettime(CLOCK_MONOTONIC, &start);
//	for (int i = 0; i < count; i++)
//		if (below(FRAMES, libc ? by_libc : by_system_calls) != 0)
//			return -1;
//	clock_gettime(CLOCK_MONOTONIC, &end);
//	return (double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec);
// }
//
// static int keep(int count)
// {
//	for (int i = 0; i < count; i++)
//		if (mmap(NULL, PAGE, i % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
//			return -1;
//	return 0;
// }
import "C"

import "log"

// pairs makes so many pairs of calls, and returns the nanoseconds of one.
func pairs(count int, byLibc bool) float64 {
	libc := C.int(0)
	if byLibc {
		libc = 1
	}
	took := float64(C.pairs(C.int(count), libc))
	if took < 0 {
		log.Fatal("a call failed")
	}
	return took / float64(count)
}

// keep maps so many ranges, of which the kernel joins none to its neighbor.
func keep(count int) {
	if C.keep(C.int(count)) != 0 {
		log.Fatal("the kernel maps no more")
	}
}

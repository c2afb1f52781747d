//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// Command stacks prints how much of the stacks of its C threads is resident, as each thread counted, and what the account has of
// them. Half of the threads wait, and the others go on running.
package main

/*
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREADS = 20, STACK = 1 << 20, TOUCHED = STACK / 2, PAGE = 4096 };
static long resident, counted;

static long count(void)
{
	pthread_attr_t attributes;
	void *start;
	size_t size;
	static __thread unsigned char pages[STACK / PAGE + 16];
	if (pthread_getattr_np(pthread_self(), &attributes) != 0)
		return 0;
	pthread_attr_getstack(&attributes, &start, &size);
	pthread_attr_destroy(&attributes);
	uintptr_t low = ((uintptr_t)start + PAGE - 1) & -PAGE, high = ((uintptr_t)start + size) & -PAGE;
	long n = 0;
	if (high - low > STACK || mincore((void *)low, high - low, pages) != 0)
		return 0;
	for (uintptr_t i = 0; i < (high - low) / PAGE; i++)
		n += pages[i] & 1;
	return n * PAGE;
}

static void *deep(void *waits)
{
	volatile char *frame = __builtin_alloca(TOUCHED);
	for (int i = 0; i < TOUCHED; i += PAGE)
		frame[i] = 1;
	__atomic_add_fetch(&resident, count(), __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&counted, 1, __ATOMIC_SEQ_CST);
	for (;;)
		waits != NULL ? (void)pause() : (void)sched_yield();
}

static long begin(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread, &attributes, deep, i % 2 ? &resident : NULL) != 0)
			return 0;
	while (__atomic_load_n(&counted, __ATOMIC_SEQ_CST) < THREADS)
		sched_yield();
	return resident;
}
*/
import "C"

import (
	"fmt"
	"os"

	"github.com/cgoheap/cgoheap"
)

func main() {
	p, err := cgoheap.Start(cgoheap.Config{})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	before := lineOf(p)
	truth := int64(C.begin())
	fmt.Println(before, truth, lineOf(p))
}

func lineOf(p *cgoheap.Profiler) int64 {
	a, err := p.Account()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for _, l := range a.Lines {
		if l.Name == "stacks of threads" {
			return l.Resident
		}
	}
	return 0
}

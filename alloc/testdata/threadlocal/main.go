//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// Command threadlocal prints how many threads have a thread-local variable where Recording.Threads has their storage, and how
// many threads there are.
package main

/*
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 20 };
static __thread char before[100];
static __thread uintptr_t mine;
static struct { long thread; uintptr_t variable; } threads[THREADS + 1];
static long count;

static void note(void)
{
	long i = __atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
	mine = (uintptr_t)before;
	threads[i].variable = (uintptr_t)&mine;
	__atomic_store_n(&threads[i].thread, syscall(SYS_gettid), __ATOMIC_SEQ_CST);
}

static void *run(void *argument)
{
	note();
	for (;;)
		pause();
	return argument;
}

static int begin(void)
{
	pthread_t thread;
	note();
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, run, NULL) != 0)
			return 0;
	for (int i = 0; i <= THREADS; i++)
		while (__atomic_load_n(&threads[i].thread, __ATOMIC_SEQ_CST) == 0)
			sched_yield();
	return 1;
}

static long thread_at(int i) { return threads[i].thread; }
static uintptr_t variable_at(int i) { return threads[i].variable; }
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/internal/account"
)

func init() { runtime.LockOSThread() } // main runs on the main thread

func main() {
	r, err := alloc.Start(alloc.Options{SampleBytes: 1 << 20, MaxDepth: 64, TableBytes: 64 << 20})
	if err != nil || C.begin() == 0 {
		fmt.Println(err)
		os.Exit(1)
	}
	defer r.Stop()
	threads, found := map[int]account.Thread{}, 0
	for _, t := range r.Threads() {
		threads[t.Number] = t
	}
	offsets := map[uint64]int{}
	for i := range int(C.THREADS) + 1 {
		t, at := threads[int(C.thread_at(C.int(i)))], uint64(C.variable_at(C.int(i)))
		for _, s := range t.Storage {
			if s.Start <= at && at < s.Limit {
				offsets[at-s.Start]++
				found++
			}
		}
	}
	fmt.Println(found, len(offsets), int(C.THREADS)+1)
}

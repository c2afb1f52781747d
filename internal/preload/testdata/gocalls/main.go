// A Go program without cgoheap: 400 blocks of 1000 bytes by C that four goroutines call, and one of 777 by Go code that C calls back, on a
// goroutine whose stack moves meanwhile.
package main

/*
#include <stdlib.h>
#include <string.h>
extern void goBack(void);
__attribute__((noinline)) static void *sum_block(size_t n) { void *p = malloc(n); memset(p, 1, n); return p; }
static void call_back(void) { goBack(); }
*/
import "C"

import "fmt"

//go:noinline
func hold(n int) { C.sum_block(C.size_t(n)) }

//export goBack
func goBack() {
	deep(10)
	hold(777)
}

//go:noinline
func deep(n int) int {
	var b [4096]byte
	if n == 0 {
		return int(b[n])
	}
	return deep(n-1) + int(b[n])
}

func main() {
	done := make(chan bool)
	for range 4 {
		go func() {
			for range 100 {
				hold(1000)
			}
			done <- true
		}()
	}
	for range 4 {
		<-done
	}
	C.call_back()
	fmt.Println("done")
}

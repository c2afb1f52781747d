package main

// #include "gos.h"
import "C"

import (
	"unsafe"

	"github.com/cgoheap/cgoheap/e2e/leaks/trial"
)

// onStack is how many pointers a goroutine has on its stack.
const onStack = 256

// goroutines has some that wait with pointers on their stacks, and others that have ended.
func goroutines() {
	for i := 0; i < number(); i += onStack {
		resting, ended := make(chan bool), make(chan bool)
		go waiting(resting, min(onStack, number()-i))
		go ending(ended, min(onStack, number()-i))
		<-resting
		<-ended
	}
	trial.Held("kept_by_goroutine", "stack of (a )?goroutine .*(waiting|goroutines)")
}

//go:noinline
func waiting(resting chan bool, n int) {
	var blocks [onStack]unsafe.Pointer
	for i := range n {
		blocks[i] = C.kept_by_goroutine()
	}
	resting <- true
	<-never
	overwrite(&blocks)
}

// never is never closed.
var never chan bool

//go:noinline
func overwrite(blocks *[onStack]unsafe.Pointer) { clear(blocks[:]) }

//go:noinline
func ending(ended chan bool, n int) {
	var blocks [onStack]unsafe.Pointer
	for i := range n {
		blocks[i] = C.lost_with_goroutine()
	}
	ended <- blocks[0] != nil
}

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

// session is one that nobody ends: its goroutine waits, and has its block.
type session struct{ block unsafe.Pointer }

// sessions has thousands of goroutines that are blocked at one place.
func sessions() {
	resting := make(chan bool)
	for range number() {
		go (&session{C.lost_by_session()}).watch(resting)
	}
	for range number() {
		<-resting
	}
	trial.Held("kept_by_session", "stack of (a )?goroutine .*(watch|sessions)")
	trial.Told("kept_by_session", `^.kept_by_session. .*, called from main\.\(\*session\)\.watch: .* reachable from stack of .*, one of [0-9]+ that hold recorded blocks, and most like it are in main\.\(\*session\)\.watch \(goroutines.go:[0-9]+\)`)
	trial.Told("lost_by_session", `^.lost_by_session. .*, called from main\.sessions: .* no pointer found to 100 %: lost, or its pointers are hidden$`)
}

//go:noinline
func (s *session) watch(resting chan bool) {
	s.block = C.kept_by_session() // what it had is lost
	resting <- true
	<-never
	s.block = nil
}

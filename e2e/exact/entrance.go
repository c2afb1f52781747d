package main

import (
	"sync"

	"github.com/cgoheap/cgoheap/internal/victim"
)

// An entrance is a way to reach code that allocates.
type entrance struct {
	run    func(work func())
	frames []string // our functions below work
}

const victimPackage = "github.com/cgoheap/cgoheap/internal/victim."

var (
	mainFrames = []string{"main.(*tour).enter", "main.run", "main.main"}
	throughC   = []string{victimPackage + "victimRunGo", "victim_call_go", victimPackage + "CallBack"}
	fromThread = []string{victimPackage + "victimRunGo", "victim_thread_calls_go"}
)

var entrances = []entrance{
	{directly, frames("main.directly", mainFrames)},
	{inGoroutines, []string{"main.inGoroutines.func1"}},
	{inCallback, frames(throughC, "main.inCallback", mainFrames)},
	{inNestedCallbacks, frames(throughC, "main.inNestedCallbacks.func1", throughC, "main.inNestedCallbacks.func2", throughC,
		"main.inNestedCallbacks", mainFrames)},
	{inMovedCallback, frames("main.inMovedCallback.func1.1", throughC, "main.inMovedCallback.func1")},
	{inThread, frames(fromThread)},
	{inThreads, frames(fromThread)},
	{inCallbackOnThread, frames(throughC, "main.inCallbackOnThread.func1", fromThread)},
}

// frames joins names and lists of names.
func frames(parts ...any) []string {
	var all []string
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			all = append(all, part)
		case []string:
			all = append(all, part...)
		}
	}
	return all
}

//go:noinline
func directly(work func()) { work() }

const atOnce = 4

//go:noinline
func inGoroutines(work func()) {
	var done sync.WaitGroup
	done.Add(atOnce)
	for range atOnce {
		go func() {
			defer done.Done()
			work()
		}()
	}
	done.Wait()
}

//go:noinline
func inCallback(work func()) { victim.CallBack(work) }

//go:noinline
func inNestedCallbacks(work func()) {
	inner := func() { victim.CallBack(work) }
	middle := func() { victim.CallBack(inner) }
	victim.CallBack(middle)
}

// The goroutine's stack has moved when C code below the callback continues.
//
//go:noinline
func inMovedCallback(work func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		victim.CallBack(func() {
			victim.MoveStack()
			work()
		})
	}()
	<-done
}

//go:noinline
func inThread(work func()) {
	if err := victim.OnThread(work); err != nil {
		panic(err)
	}
}

//go:noinline
func inThreads(work func()) {
	var done sync.WaitGroup
	done.Add(atOnce)
	for range atOnce {
		go func() {
			defer done.Done()
			inThread(work)
		}()
	}
	done.Wait()
}

//go:noinline
func inCallbackOnThread(work func()) {
	inThread(func() { victim.CallBack(work) })
}

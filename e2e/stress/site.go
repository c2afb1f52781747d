package main

// #include "storm.h"
import "C"

import (
	"slices"
	"strings"
)

// A site is the Go side of a struct site with the same number.
type site struct {
	name   string
	frames []string // ours, leaf first
	ofFile bool     // in a library that comes and goes, so that its stacks may be cut
	sizes  []int64
	counts counts
}

// An entrance reaches sites of all ways, from the first on.
type entrance struct {
	name   string
	frames []string
	first  C.uint32_t
	work   func(first C.uint32_t)
}

func nested(callbacks int, below ...string) []string {
	frames := []string{"stress_visit", "main.stressNested", "stress_call_go"}
	for range callbacks {
		frames = append(frames, "main.stressNested", "stress_call_go")
	}
	return append(frames, below...)
}

func entrances() []*entrance {
	return append([]*entrance{
		{name: "goroutine", work: inGoroutine, frames: []string{"stress_visit", "main.inGoroutine", "main.work"}},
		{name: "around a callback", work: inAround,
			frames: []string{"stress_visit", "stress_around_go", "main.inAround", "main.work"}},
		{name: "five callbacks", work: inDeep, frames: nested(callbacks, "main.inDeep", "main.work")},
		{name: "thread", work: inThread, frames: []string{"stress_visit", "stress_thread"}},
		{name: "short thread", work: inShortThreads, frames: []string{"stress_visit", "stress_short_thread"}},
		{name: "thread calls Go", work: inCallingThreads, frames: nested(0, "stress_calling_thread")},
		{name: "signal", work: inHandler, frames: []string{"stress_visit", "stress_handler", "stress_spin", "stress_signalled"}},
		{name: "signal, own stack", work: inHandlerAside,
			frames: []string{"stress_visit", "stress_handler", "stress_spin", "stress_signalled"}},
		{name: "beside a fork", work: inFork, frames: []string{"stress_visit", "stress_fork", "stress_forks", "main.inFork", "main.work"}},
	}, besidePages()...)
}

// besidePages returns the entrances of code whose frame pointer register points to a page that comes and goes. Their stacks
// end there.
func besidePages() []*entrance {
	frames := []string{"stress_visit", "stress_without_cfi"}
	return []*entrance{
		{name: "page by a thread's stack", work: besideThread, frames: frames},
		{name: "page by a signal's stack", work: besideHandler, frames: frames},
		{name: "page by a fiber's stack", work: besideFiber, frames: frames},
		{name: "page by a goroutine", work: besideGoroutine, frames: frames},
	}
}

// inLibraries reach two sites of one way each.
var libraryFrames = []string{"stress_allocate", "stress_visit_by", "stress_library", "stress_libraries", "main.inLibraries", "main.work"}

// sites numbers all sites: each entrance's next to each other, then the libraries'.
func sites(all []*entrance) []*site {
	var list []*site
	for _, e := range all {
		e.first = C.uint32_t(len(list))
		for way := range C.int(C.STRESS_WAYS) {
			function := C.GoString(C.stress_way(way))
			s := &site{name: e.name + ": " + strings.TrimPrefix(function, "stress_"), frames: slices.Concat([]string{function}, e.frames)}
			C.stress_sites[len(list)].way = way
			list = append(list, s)
		}
	}
	for _, name := range libraryNames {
		list = append(list, &site{name: "library: " + name, frames: slices.Concat([]string{name}, libraryFrames), ofFile: true})
	}
	for i, s := range list {
		s.size(i, len(list))
	}
	return list
}

// size sets the sizes of site i of n: odd sizes, which other code hardly uses, and larger than a block's header.
func (s *site) size(i, n int) {
	for j := range C.STRESS_SIZES {
		size := 19 + 16*(i+n*j)
		C.stress_sites[i].sizes[j] = C.uint32_t(size)
		s.sizes = append(s.sizes, int64(size))
	}
}

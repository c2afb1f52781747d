package main

/*
#include <stdlib.h>
#include "gos.h"
*/
import "C"

import (
	"runtime"
	"runtime/debug"
	"unsafe"

	"github.com/cgoheap/cgoheap/e2e/leaks/trial"
)

// through is what a holder is called from which the pointers lead through Go's heap.
func through(holder string) string { return holder + ", through Go's heap$" }

var (
	handles  []*handle
	integers []uintptr
	table    = make(map[int]unsafe.Pointer)
	channel  chan unsafe.Pointer
	closures = make(map[int]func() unsafe.Pointer)
)

// field keeps handles, and forgets others, which have no finalizer: their blocks are lost once they are collected.
func field() {
	for i := range number() {
		handles = append(handles, &handle{i, C.kept_by_field()})
	}
	forgotten()
	trial.Held("kept_by_field", through("Go variable main.handles"))
}

//go:noinline
func forgotten() {
	var list []*handle
	for i := range number() {
		list = append(list, &handle{i, C.lost_with_object()})
	}
	clear(list)
}

// uintptrs keeps addresses as integers, which lie in objects without pointers, and overwrites others.
func uintptrs() {
	integers = make([]uintptr, number())
	for i := range integers {
		integers[i] = uintptr(C.lost_with_uintptr())
	}
	for i := range integers {
		integers[i] = uintptr(C.kept_as_uintptr())
	}
	trial.Held("kept_as_uintptr", through("Go variable main.integers"))
}

// small is what packages return around a C library whose types are opaque.
type small struct{ block *C.struct_opaque }

var (
	smalls []*small
	audit  []any
	last   *small
)

// told is what is said of an address that nothing leads to beside a small object.
const told = " lie in Go's smallest objects, which Go keeps as long as any other in the same 16 bytes is kept, so whether (it is|those are) lost is not known"

// tiny keeps such objects, and forgets others that lie in one place with numbers which it keeps. These look like the second half of an
// object.
func tiny() {
	for range number() {
		smalls = append(smalls, &small{(*C.struct_opaque)(C.kept_by_small())})
	}
	for i := range number() {
		noted(&small{(*C.struct_opaque)(C.linked_beside_number())}, 1000+i)
	}
	trial.Held("kept_by_small", through("Go variable main.smalls"))
	trial.Told("linked_beside_number", told)
}

//go:noinline
func noted(s *small, number int) { last, audit = s, append(audit, number) }

// neighbours forgets such objects beside others with cleanups that never run.
func neighbours() {
	for range number() {
		cleanedInVain(&small{(*C.struct_opaque)(C.linked_beside_cycle())}, &small{(*C.struct_opaque)(C.kept_by_small_cycle())})
	}
	trial.Held("kept_by_small_cycle", "finalizer or cleanup main.cleanedInVain.func1$")
	trial.Told("linked_beside_cycle", told)
}

//go:noinline
func cleanedInVain(forgotten, held *small) {
	last = forgotten
	runtime.AddCleanup(held, func(all []*small) { C.free(unsafe.Pointer(all[0].block)) }, []*small{held})
}

// looksAlike loses a list, and sets a number of Go's runtime to the address of its first block, as it would be by chance.
func looksAlike() { debug.SetMaxStack(int(^C.inverse_of_list())) }

// mapped keeps some entries of a map and deletes others without freeing their blocks.
func mapped() {
	for i := range number() {
		table[2*i], table[2*i+1] = C.kept_by_map(), C.lost_from_map_of_go()
	}
	for i := range number() {
		delete(table, 2*i+1)
	}
	trial.Held("kept_by_map", through("Go variable main.table"))
}

// closed keeps functions whose variables have the addresses, as callbacks are registered and never taken away.
func closed() {
	for i := range number() {
		block := C.kept_by_closure()
		closures[i] = func() unsafe.Pointer { return block }
	}
	trial.Held("kept_by_closure", through("Go variable main.closures"))
	trial.Told("kept_by_closure", " reachable from Go variable `main.closures`, through Go's heap")
}

// pair is half of a cycle.
type pair struct {
	other *pair
	block unsafe.Pointer
}

// cycles makes objects that Go never collects, although the program has no pointer to them: a cycle with a finalizer keeps itself
// (runtime.SetFinalizer).
func cycles() {
	for range number() {
		a, b := &pair{block: C.kept_in_cycle()}, &pair{}
		a.other, b.other = b, a
		runtime.SetFinalizer(a, func(a *pair) { C.free(a.block) })
	}
	trial.Held("kept_in_cycle", "finalizer or cleanup main.cycles.func1$")
	trial.Told("kept_in_cycle", " reachable from finalizer or cleanup `main.cycles.func1`, which never runs, because it keeps its own object")
}

// channels has a channel that nobody drains; what it took out before was not freed.
func channels() {
	channel = make(chan unsafe.Pointer, number())
	for range number() {
		channel <- C.lost_from_channel()
	}
	for range number() {
		<-channel
	}
	for range number() {
		channel <- C.kept_in_channel()
	}
	trial.Held("kept_in_channel", through("Go variable main.channel"))
}

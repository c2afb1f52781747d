package main

import (
	"fmt"

	"github.com/cgoheap/cgoheap/e2e/truth"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// malloc(0) is a block of no bytes.
func (v *visit) nothing() {
	stack := frames(direct("victim_malloc", "Malloc"), "main.(*visit).nothing")
	for i := range v.count {
		block := victim.Malloc(0)
		v.allocated(stack, 0)
		if !v.keeps(i) {
			victim.Free(block)
			v.freed(stack, 0)
		}
	}
}

// A realloc frees what was there and allocates what is there now, in place or not; realloc to 0 only frees.
func (v *visit) reallocs() {
	born := frames(direct("victim_malloc", "Malloc"), "main.(*visit).reallocs")
	moved := frames(direct("victim_realloc", "Realloc"), "main.(*visit).reallocs")
	for i := range v.count {
		block := victim.Malloc(40)
		v.allocated(born, 40)
		for _, size := range []uintptr{4000, 400, 400000, 4} {
			block = victim.Realloc(block, size)
			v.allocated(moved, int64(size))
		}
		v.freed(born, 40)
		for _, size := range []int64{4000, 400, 400000} {
			v.freed(moved, size)
		}
		if !v.keeps(i) {
			victim.Realloc(block, 0)
			v.freed(moved, 4)
		}
	}
}

// A realloc that fails leaves the block where it was allocated.
func (v *visit) failures() {
	stack := frames(direct("victim_malloc", "Malloc"), "main.(*visit).failures")
	for i := range v.count {
		block := victim.Malloc(56)
		if victim.Realloc(block, 1<<62) != nil || victim.Reallocarray(block, 1<<40, 1<<40) != nil {
			panic("realloc found 2^62 bytes")
		}
		v.allocated(stack, 56)
		if !v.keeps(i) {
			victim.Free(block)
			v.freed(stack, 56)
		}
	}
}

// A line's bytes are the size that getline reports.
func (v *visit) lines() {
	stack := frames(direct("victim_getline", "Getline"), "main.(*visit).lines")
	for i := range v.count {
		line, bytes := victim.Getline(100)
		v.allocated(stack, bytes)
		if !v.keeps(i) {
			victim.Free(line)
			v.freed(stack, bytes)
		}
	}
}

// How often asprintf allocates is up to it; the block that it leaves is known.
func (v *visit) prints() {
	const bytes = 88
	stack := frames(direct("victim_asprintf", "Asprintf"), "main.(*visit).prints")
	for i := range v.count {
		text := victim.Asprintf(bytes - 1)
		v.add(stack, truth.Values{truth.Unknown, truth.Unknown, 1, bytes})
		if !v.keeps(i) {
			victim.Free(text)
			v.freed(stack, bytes)
		}
	}
}

func (v *visit) vectors() {
	stack := frames("victim::push_back", direct("victim_cxx_grow_vector", "GrowVector"), "main.(*visit).vectors")
	for i := range v.count {
		vector := victim.GrowVector(1000)
		v.add(stack, truth.Values{vector.Growths, vector.Bytes, 1, vector.Held})
		if !v.keeps(i) {
			vector.Clear()
			v.freed(stack, vector.Held)
		}
	}
}

func (v *visit) strings() {
	stack := frames("victim::assign", direct("victim_cxx_string", "String"), "main.(*visit).strings")
	for i := range v.count {
		text := victim.String(99)
		v.allocated(stack, 100)
		if !v.keeps(i) {
			victim.ClearString(text)
			v.freed(stack, 100)
		}
	}
}

// An exception passes three frames that each hold a block, and takes one that the runtime allocates for it.
func (v *visit) exceptions() {
	const depth, size = 3, 104
	caught := frames("victim::catcher", direct("victim_cxx_throw_and_catch", "ThrowAndCatch"), "main.(*visit).exceptions")
	for i := range v.count {
		before, after := victim.ThrowAndCatch(depth, size)
		v.allocated(caught, size)
		v.allocated(caught, size)
		for holders := 1; holders <= depth; holders++ {
			v.passed(frames(repeated("victim::holder", holders), caught), size)
		}
		thrown := frames("victim::thrower", repeated("victim::holder", depth), caught)
		v.add(thrown, truth.Values{1, truth.Unknown, 0, 0})
		if !v.keeps(i) {
			victim.Free(before)
			victim.Free(after)
			v.freed(caught, size)
			v.freed(caught, size)
		}
	}
}

// One C function allocates before and after a call into Go that moves the goroutine's stack.
func (v *visit) around() {
	stack := frames(direct("victim_malloc_around_go", "MallocAround"), "main.(*visit).around")
	for i := range v.count {
		before, after := victim.MallocAround(victim.MoveStack, 112)
		v.allocated(stack, 112)
		v.allocated(stack, 112)
		if !v.keeps(i) {
			victim.Free(before)
			victim.Free(after)
			v.freed(stack, 112)
			v.freed(stack, 112)
		}
	}
}

// A thread that never enters Go has nothing below its first function, however its creator was reached.
func (v *visit) threads() {
	nowhere := &visit{tour: v.tour, count: v.count}
	stack := []string{"victim_thread_mallocs"}
	for i := range v.count {
		block := victim.MallocOnThread(120)
		nowhere.allocated(stack, 120)
		if !v.keeps(i) {
			victim.Free(block)
			nowhere.freed(stack, 120)
		}
	}
}

func (v *visit) plugin() {
	stack := frames("plugin_malloc", "plugin_calls_itself", "victim_plugin_call", victimPackage+"Plugin.Call", "main.(*visit).plugin")
	for i := range v.count {
		block := v.tour.plugin.Call("plugin_calls_itself", 128)
		if block == nil {
			panic(fmt.Sprintf("no block from the plugin on visit %d", i))
		}
		v.allocated(stack, 128)
		if !v.keeps(i) {
			victim.Free(block)
			v.freed(stack, 128)
		}
	}
}

//go:build linux && cgo

package victim_test

import (
	"path/filepath"
	"runtime"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/toolchain"
	"github.com/cgoheap/cgoheap/internal/victim"
)

func TestEverySiteReturnsABlock(t *testing.T) {
	sites := map[string]unsafe.Pointer{
		"Malloc": victim.Malloc(8), "Malloc of nothing": victim.Malloc(0), "Calloc": victim.Calloc(2, 8), "Reallocarray": victim.Reallocarray(nil, 2, 8),
		"Realloc": victim.Realloc(victim.Malloc(8), 800), "PosixMemalign": victim.PosixMemalign(64, 8), "AlignedAlloc": victim.AlignedAlloc(64, 64),
		"Memalign": victim.Memalign(64, 8), "Valloc": victim.Valloc(8), "Pvalloc": victim.Pvalloc(8), "Strdup": victim.Strdup(8), "Asprintf": victim.Asprintf(8),
		"Alloca": victim.Alloca(64), "RealignedStack": victim.RealignedStack(8), "RealignedAlloca": victim.RealignedAlloca(8),
		"FramePointerAsData": victim.FramePointerAsData(8),
		"Recursion":          victim.Recursion(5, 8), "TailCall": victim.TailCall(8), "MallocOnThread": victim.MallocOnThread(8), "Inlined": victim.Inlined(8),
	}
	for name, block := range sites {
		if block == nil {
			t.Errorf("%s returned nil", name)
		}
		victim.Free(block)
	}
	victim.Free(nil)
}

func TestAReallocThatCannotSucceedLeavesTheBlock(t *testing.T) {
	block := victim.Malloc(8)
	*(*byte)(block) = 42
	if moved := victim.Realloc(block, 1<<62); moved != nil {
		t.Fatal("realloc found 2^62 bytes")
	}
	if moved := victim.Reallocarray(block, 1<<40, 1<<40); moved != nil {
		t.Fatal("reallocarray did not see the overflow")
	}
	if *(*byte)(block) != 42 {
		t.Error("the block changed")
	}
	victim.Free(block)
}

func TestAShortLineIsAllocatedOnce(t *testing.T) {
	line, bytes := victim.Getline(100)
	if line == nil || bytes < 101 {
		t.Fatalf("Getline(100) = %v, %d bytes", line, bytes)
	}
	victim.Free(line)
}

func TestAVectorTellsWhatGrowingItAllocated(t *testing.T) {
	vector := victim.GrowVector(5)
	defer vector.Clear()
	if vector.Growths != 4 || vector.Held != 8*8 || vector.Bytes != 8*(1+2+4+8) {
		t.Errorf("5 elements took %+v, want capacities 1, 2, 4, 8", vector)
	}
}

func TestAnExceptionIsCaughtAboveItsFrames(t *testing.T) {
	before, after := victim.ThrowAndCatch(4, 16)
	if before == nil || after == nil {
		t.Errorf("blocks before and after: %v, %v", before, after)
	}
	victim.Free(before)
	victim.Free(after)
}

func TestCallbacksNest(t *testing.T) {
	var order []int
	victim.CallBack(func() {
		order = append(order, 1)
		victim.CallBack(func() { order = append(order, 2) })
		order = append(order, 3)
	})
	if len(order) != 3 || order[0] != 1 || order[1] != 2 || order[2] != 3 {
		t.Errorf("ran in order %v", order)
	}
}

func TestAStackMovesDuringACallback(t *testing.T) {
	moved := make(chan bool)
	go func() { // a fresh goroutine has a small stack
		var here byte
		was := uintptr(unsafe.Pointer(&here))
		before, after := victim.MallocAround(victim.MoveStack, 8)
		is := uintptr(unsafe.Pointer(&here))
		victim.Free(before)
		victim.Free(after)
		moved <- was != is
	}()
	if !<-moved {
		t.Error("the stack is where it was: MoveStack is too small")
	}
}

func TestAForeignThreadEntersGo(t *testing.T) {
	var block unsafe.Pointer
	if err := victim.OnThread(func() { block = victim.Malloc(8) }); err != nil {
		t.Fatal(err)
	}
	if block == nil {
		t.Error("the thread did not run its function")
	}
	victim.Free(block)
}

func TestAPluginAllocates(t *testing.T) {
	library := filepath.Join(t.TempDir(), "plugin.so")
	toolchain.Target(t).Build(t, "gcc", "-O2", "-g", "-fPIC", "-shared", "-o", library, "testdata/plugin.c")
	plugin, err := victim.OpenPlugin(library)
	if err != nil {
		t.Fatal(err)
	}
	defer plugin.Close()
	block := plugin.Call("plugin_calls_itself", 8)
	if block == nil {
		t.Error("no block")
	}
	victim.Free(block)
	if _, err := victim.OpenPlugin(library + ".not"); err == nil {
		t.Error("opened a library that is not there")
	}
}

func TestEveryLibraryCallsBack(t *testing.T) {
	for name, call := range victim.Callers {
		if walks := victim.WalkBoth(call); walks.Calls == 0 || len(walks.Theirs) < 2 {
			t.Errorf("%s: %d stacks walked, the last with %d frames", name, walks.Calls, len(walks.Theirs))
		}
	}
}

func TestEachInstructionIsAStep(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("only amd64 has a trap flag that programs can set")
	}
	if walks := victim.WalkBoth(victim.Callers["every instruction"]); walks.Calls < 100 {
		t.Errorf("snprintf took %d", walks.Calls)
	}
}

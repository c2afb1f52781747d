//go:build linux && cgo

package victim

import (
	"path/filepath"
	"runtime"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

func TestEverySiteReturnsABlock(t *testing.T) {
	sites := map[string]unsafe.Pointer{
		"Malloc": Malloc(8), "Malloc of nothing": Malloc(0), "Calloc": Calloc(2, 8), "Reallocarray": Reallocarray(nil, 2, 8),
		"Realloc": Realloc(Malloc(8), 800), "PosixMemalign": PosixMemalign(64, 8), "AlignedAlloc": AlignedAlloc(64, 64),
		"Memalign": Memalign(64, 8), "Valloc": Valloc(8), "Pvalloc": Pvalloc(8), "Strdup": Strdup(8), "Asprintf": Asprintf(8),
		"Alloca": Alloca(64), "RealignedStack": RealignedStack(8), "RealignedAlloca": RealignedAlloca(8),
		"FramePointerAsData": FramePointerAsData(8),
		"Recursion":          Recursion(5, 8), "TailCall": TailCall(8), "MallocOnThread": MallocOnThread(8), "Inlined": Inlined(8),
	}
	for name, block := range sites {
		if block == nil {
			t.Errorf("%s returned nil", name)
		}
		Free(block)
	}
	Free(nil)
}

func TestAReallocThatCannotSucceedLeavesTheBlock(t *testing.T) {
	block := Malloc(8)
	*(*byte)(block) = 42
	if moved := Realloc(block, 1<<62); moved != nil {
		t.Fatal("realloc found 2^62 bytes")
	}
	if moved := Reallocarray(block, 1<<40, 1<<40); moved != nil {
		t.Fatal("reallocarray did not see the overflow")
	}
	if *(*byte)(block) != 42 {
		t.Error("the block changed")
	}
	Free(block)
}

func TestAShortLineIsAllocatedOnce(t *testing.T) {
	line, bytes := Getline(100)
	if line == nil || bytes < 101 {
		t.Fatalf("Getline(100) = %v, %d bytes", line, bytes)
	}
	Free(line)
}

func TestAVectorTellsWhatGrowingItAllocated(t *testing.T) {
	vector := GrowVector(5)
	defer vector.Clear()
	if vector.Growths != 4 || vector.Held != 8*8 || vector.Bytes != 8*(1+2+4+8) {
		t.Errorf("5 elements took %+v, want capacities 1, 2, 4, 8", vector)
	}
}

func TestAnExceptionIsCaughtAboveItsFrames(t *testing.T) {
	before, after := ThrowAndCatch(4, 16)
	if before == nil || after == nil {
		t.Errorf("blocks before and after: %v, %v", before, after)
	}
	Free(before)
	Free(after)
}

func TestCallbacksNest(t *testing.T) {
	var order []int
	CallBack(func() {
		order = append(order, 1)
		CallBack(func() { order = append(order, 2) })
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
		before, after := MallocAround(MoveStack, 8)
		is := uintptr(unsafe.Pointer(&here))
		Free(before)
		Free(after)
		moved <- was != is
	}()
	if !<-moved {
		t.Error("the stack is where it was: MoveStack is too small")
	}
}

func TestAForeignThreadEntersGo(t *testing.T) {
	var block unsafe.Pointer
	if err := OnThread(func() { block = Malloc(8) }); err != nil {
		t.Fatal(err)
	}
	if block == nil {
		t.Error("the thread did not run its function")
	}
	Free(block)
}

func TestAPluginAllocates(t *testing.T) {
	library := filepath.Join(t.TempDir(), "plugin.so")
	toolchain.Target(t).Build(t, "gcc", "-O2", "-g", "-fPIC", "-shared", "-o", library, "testdata/plugin.c")
	plugin, err := OpenPlugin(library)
	if err != nil {
		t.Fatal(err)
	}
	defer plugin.Close()
	block := plugin.Call("plugin_calls_itself", 8)
	if block == nil {
		t.Error("no block")
	}
	Free(block)
	if _, err := OpenPlugin(library + ".not"); err == nil {
		t.Error("opened a library that is not there")
	}
}

func TestEveryLibraryCallsBack(t *testing.T) {
	for name, call := range Callers {
		if walks := WalkBoth(call); walks.Calls == 0 || len(walks.Theirs) < 2 {
			t.Errorf("%s: %d stacks walked, the last with %d frames", name, walks.Calls, len(walks.Theirs))
		}
	}
}

func TestEachInstructionIsAStep(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("only amd64 has a trap flag that programs can set")
	}
	if walks := WalkBoth(Callers["every instruction"]); walks.Calls < 100 {
		t.Errorf("snprintf took %d", walks.Calls)
	}
}

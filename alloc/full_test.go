//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

// small are tables that 8 MiB of blocks do not fit into.
var small = Options{SampleBytes: 1, MaxDepth: 512, TableBytes: 8 << 20}

//go:noinline
func fill(blocks []unsafe.Pointer) {
	for i := range blocks {
		blocks[i] = victim.Malloc(16)
	}
}

// fillWithStacks calls itself, so that all its stacks are different ones.
//
//go:noinline
func fillWithStacks(calls int) (blocks []unsafe.Pointer) {
	if calls > 0 {
		blocks = fillWithStacks(calls - 1)
	}
	for depth := range 400 {
		for size := range uintptr(20) {
			blocks = append(blocks, victim.Recursion(depth, size))
		}
	}
	return blocks
}

func free(blocks []unsafe.Pointer) {
	for _, block := range blocks {
		victim.Free(block)
	}
}

func TestTablesFullOfBlocks(t *testing.T) {
	t.Run("blocks for which there is no room are allocated but not in use", func(t *testing.T) {
		r := start(t, small)
		blocks := make([]unsafe.Pointer, 400_000)
		fill(blocks)
		v, lost := sum(snapshot(t, r).through("fill")), int64(value(t, r, "lost_live_table_full"))
		if lost == 0 || lost >= int64(len(blocks)) {
			t.Errorf("%d of %d blocks are lost", lost, len(blocks))
		}
		n := int64(len(blocks))
		if v.AllocObjects != n || v.AllocBytes != 16*n || v.InuseBytes != 16*v.InuseObjects {
			t.Errorf("of %d blocks of 16 bytes: %+v", n, v)
		}
		if others := v.InuseObjects - (n - lost); others < 0 || others > 100 { // threads that begin lose blocks too
			t.Errorf("%d blocks in use of %d, less %d", v.InuseObjects, n, lost)
		}
		free(blocks)
		want := stack.Values{AllocObjects: n, AllocBytes: 16 * n}
		if v := sum(snapshot(t, r).through("fill")); v != want {
			t.Errorf("after all were freed %+v, want %+v", v, want)
		}
		fill(blocks[:1000])
		if n := sum(snapshot(t, r).through("fill")).InuseObjects; n != 1000 {
			t.Errorf("%d of 1000 later blocks are in use", n)
		}
		free(blocks[:1000])
	})
}

func TestTablesFullOfStacks(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	t.Run("samples for whose stacks there is no room are counted, and those before them stay right", func(t *testing.T) {
		r := start(t, small)
		blocks := make([]unsafe.Pointer, 1000)
		fill(blocks)
		known := victim.Malloc(1000)
		sites := func(size uintptr) { // of stacks that the first call makes known
			for depth := range 512 {
				victim.Free(victim.Recursion(depth, size))
			}
		}
		sites(1)
		others := fillWithStacks(10)
		free(others)
		for size := uintptr(2); size < 16 && value(t, r, "lost_site_table_full") == 0; size++ { // some may fit into what is left
			sites(size)
		}
		if value(t, r, "lost_stack_table_full") == 0 || value(t, r, "lost_site_table_full") == 0 {
			t.Errorf("lost: %d stacks, %d sites", value(t, r, "lost_stack_table_full"), value(t, r, "lost_site_table_full"))
		}
		s := snapshot(t, r)
		if v := sum(s.through("fill")); v.InuseObjects != 1000 || v.AllocBytes != 16_000 {
			t.Errorf("%+v", v)
		}
		v := sum(s.through("fillWithStacks"))
		if v.InuseObjects != 0 || v.InuseBytes != 0 || v.AllocObjects == 0 || v.AllocObjects >= int64(len(others)) {
			t.Errorf("of %d blocks on many stacks: %+v", len(others), v)
		}
		lost := make(map[string]bool)
		for _, l := range s.Losses {
			lost[l.Name] = true
		}
		if !lost["lost_stack_table_full"] || !lost["lost_site_table_full"] {
			t.Errorf("the snapshot's losses are %v", s.Losses)
		}
		t.Run("a block that was freed past the hooks is not in use when its address is allocated again", func(t *testing.T) {
			runtime.LockOSThread() // an allocator returns what the thread has just freed
			defer runtime.UnlockOSThread()
			unseen, lost := value(t, r, "frees_unseen"), value(t, r, "lost_stack_table_full")
			if !victim.FreePastHooks(known) {
				t.Skip("this C library has no names of its own")
			}
			again := victim.Recursion(400, 1000)
			defer victim.Free(again)
			if again != known {
				t.Skip("libc does not give the address again")
			}
			if n := value(t, r, "lost_stack_table_full") - lost; n == 0 {
				t.Error("there was room for the stack")
			}
			if n := value(t, r, "frees_unseen") - unseen; n != 1 {
				t.Errorf("%d frees were noticed late, want 1", n)
			}
		})
		free(blocks)
	})
}

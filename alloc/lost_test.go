//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/testonly"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

// lostSize is a size of which the allocator keeps a few blocks for the thread, and returns first the one that was freed
// last.
const lostSize, lostBlocks = 56, 5

//go:noinline
func fillOfLostSize(blocks []unsafe.Pointer) {
	for i := range blocks {
		blocks[i] = victim.Malloc(lostSize)
	}
}

func expectCounters(t *testing.T, r *Recording, lost, inUse, unseen uint64) {
	t.Helper()
	for name, want := range map[string]uint64{"frees_lost": lost, "freed_in_use": inUse, "frees_unseen": unseen} {
		if n := value(t, r, name); n != want {
			t.Errorf("%s is %d, want %d", name, n, want)
		}
	}
}

func TestFreesThatAreLostAtTheGate(t *testing.T) {
	inUse := func(t *testing.T, r *Recording, objects int64) {
		t.Helper()
		got := sum(snapshot(t, r).through("fillOfLostSize"))
		if got.InuseObjects != objects || got.InuseBytes != objects*lostSize {
			t.Errorf("%+v, want %d objects in use", got, objects)
		}
	}

	t.Run("they are told from frees past the hooks, and counted as long as they make in use wrong", func(t *testing.T) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		r := start(t, everything)
		blocks := make([]unsafe.Pointer, lostBlocks)
		fillOfLostSize(blocks)
		release := testonly.FillGate()
		free(blocks)
		release()
		expectCounters(t, r, lostBlocks, lostBlocks, 0)
		inUse(t, r, lostBlocks)
		for tick := cgo.Ticks(); cgo.Ticks() == tick; {
			runtime.Gosched()
		}
		aged := view(t, func() (*Snapshot, error) { return r.AgesIn(nil, 0) })
		if found := aged.through("fillOfLostSize"); len(found) != 0 {
			t.Errorf("blocks that are known to be freed have an age: %+v", found)
		}
		fillOfLostSize(blocks) // at the same addresses, if the allocator likes; either way they add up
		again := lostBlocks - value(t, r, "freed_in_use")
		inUse(t, r, int64(2*lostBlocks-again))
		expectCounters(t, r, lostBlocks, lostBlocks-again, 0)
		if again == 0 {
			t.Error("no address was allocated again")
		}
		free(blocks)
	})

	t.Run("one address counts once", func(t *testing.T) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		r := start(t, everything)
		blocks := make([]unsafe.Pointer, lostBlocks)
		fillOfLostSize(blocks)
		release := testonly.FillGate()
		free(blocks)
		fillOfLostSize(blocks)
		free(blocks)
		release()
		expectCounters(t, r, lostBlocks, lostBlocks, 0)
	})

	t.Run("a realloc that moves is one", func(t *testing.T) {
		r := start(t, everything)
		block := make([]unsafe.Pointer, 1)
		fillOfLostSize(block)
		release := testonly.FillGate()
		block[0] = victim.Realloc(block[0], 10*lostSize)
		release()
		expectCounters(t, r, 1, 1, 0)
		free(block)
	})

	t.Run("a realloc that fails is none", func(t *testing.T) {
		r := start(t, everything)
		block := make([]unsafe.Pointer, 1)
		fillOfLostSize(block)
		release := testonly.FillGate()
		if victim.Realloc(block[0], tooMuch) != nil {
			t.Error("there were that many bytes")
		}
		release()
		expectCounters(t, r, 0, 0, 0)
		free(block)
		expectCounters(t, r, 0, 0, 0)
		inUse(t, r, 0)
	})

	t.Run("allocations that are lost are not frees", func(t *testing.T) {
		r := start(t, everything)
		blocks := make([]unsafe.Pointer, 10)
		release := testonly.FillGate()
		fillOfLostSize(blocks)
		release()
		if n := value(t, r, "lost_gate_full"); n < 10 {
			t.Errorf("%d events are lost", n)
		}
		expectCounters(t, r, 0, 0, 0)
		free(blocks)
		if got := sum(snapshot(t, r).through("fillOfLostSize")); got != (stack.Values{}) {
			t.Errorf("%+v", got)
		}
	})
}

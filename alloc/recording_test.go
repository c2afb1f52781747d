//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"errors"
	"strings"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

//go:noinline
func allocate() unsafe.Pointer { return victim.Malloc(1000) }

func TestRecording(t *testing.T) {
	t.Run("there is one at a time, and the first goes on", func(t *testing.T) {
		r := start(t, everything)
		if second, err := Start(everything); !errors.Is(err, ErrRunning) || second != nil {
			t.Errorf("%v, %v", second, err)
		}
		defer victim.Free(allocate())
		want := stack.Values{AllocObjects: 1, AllocBytes: 1000, InuseObjects: 1, InuseBytes: 1000}
		if got := sum(snapshot(t, r).through("allocate")); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	})

	t.Run("it may be stopped twice, has no snapshots after that, and its counters stay", func(t *testing.T) {
		r := start(t, everything)
		victim.Free(allocate())
		stop(t, r)
		frees := value(t, r, "frees")
		stop(t, r)
		if _, err := r.Snapshot(); !errors.Is(err, errStopped) {
			t.Error(err)
		}
		if r.look() {
			t.Error("it still looks for libraries")
		}
		if n := value(t, r, "frees"); n != frees || n == 0 {
			t.Errorf("%d blocks freed became %d", frees, n)
		}
	})
}

func TestNextRecording(t *testing.T) {
	t.Run("stopping an old one does nothing to the next", func(t *testing.T) {
		old := start(t, everything)
		stop(t, old)
		r := start(t, everything)
		stop(t, old)
		defer victim.Free(allocate())
		if n := len(snapshot(t, r).through("allocate")); n != 1 {
			t.Errorf("%d samples", n)
		}
	})

	t.Run("the next one knows nothing of the last one's blocks", func(t *testing.T) {
		old := start(t, everything)
		block := allocate()
		stop(t, old)
		r := start(t, everything)
		if found := snapshot(t, r).through("allocate"); len(found) != 0 {
			t.Errorf("%+v", found)
		}
		frees := value(t, r, "frees")
		victim.Free(block)
		if n := value(t, r, "frees"); n != frees {
			t.Errorf("a block of the last one was counted as freed: %d, then %d", frees, n)
		}
	})
}

func TestTooFewOrTooManyTables(t *testing.T) {
	t.Run("tables that cannot be had are an error, and leave room for another try", func(t *testing.T) {
		o := everything
		o.TableBytes = 1 << 50
		r, err := Start(o)
		if err == nil || !strings.Contains(err.Error(), "1125899906842624 bytes") {
			t.Errorf("%v, %v", r, err)
		}
		start(t, everything)
	})

	t.Run("tables that the loaded files do not fit into are an error, and leave room for another try", func(t *testing.T) {
		o := everything
		o.TableBytes = 1<<20 + 4096 + 2*4096 + 4*65536 + 64 // what stands before the tables, and 64 bytes
		r, err := Start(o)
		if err == nil || !strings.Contains(err.Error(), "full") {
			t.Errorf("%v, %v", r, err)
		}
		start(t, everything)
	})
}

func TestMovedBlock(t *testing.T) {
	t.Run("a block that only moves while it is recorded stays allocated once for each move", func(t *testing.T) {
		r := start(t, everything)
		block := allocateAndMove(3)
		got := sum(snapshot(t, r).through("allocateAndMove"))
		victim.Free(block)
		want := stack.Values{AllocObjects: 4, AllocBytes: 100 + 200 + 300 + 400, InuseObjects: 1, InuseBytes: 400}
		if got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}

//go:noinline
func allocateAndMove(times uintptr) unsafe.Pointer {
	block := victim.Malloc(100)
	for n := range times {
		block = victim.Realloc(block, 200+100*n)
	}
	return block
}

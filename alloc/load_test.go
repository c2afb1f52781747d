//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/toolchain"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/mappings"
)

// movers are goroutines that each hold as many blocks as they were given, and move them until the test stops them.
const movers, held = 4, 64

//go:noinline
func move(stopped *atomic.Bool, ready *sync.WaitGroup) {
	var blocks [held]unsafe.Pointer
	for i := range blocks {
		blocks[i] = victim.Malloc(64)
	}
	ready.Done()
	for n := 0; !stopped.Load(); n++ {
		i := n % held
		blocks[i] = victim.Realloc(blocks[i], uintptr(64+n%7*1024))
	}
	for _, block := range blocks {
		victim.Free(block)
	}
}

// startMoving returns when all blocks are there.
func startMoving(stopped *atomic.Bool) (finished *sync.WaitGroup) {
	finished = new(sync.WaitGroup)
	var ready sync.WaitGroup
	ready.Add(movers)
	for range movers {
		finished.Go(func() { move(stopped, &ready) })
	}
	ready.Wait()
	return finished
}

func TestSnapshotsUnderLoad(t *testing.T) {
	r := start(t, everything)
	var stopped atomic.Bool
	finished := startMoving(&stopped)

	t.Run("a block that is moved is in every snapshot once", func(t *testing.T) {
		var last int64
		for range 200 {
			v := sum(snapshot(t, r).through("move"))
			if v.InuseObjects != movers*held {
				t.Fatalf("%d blocks in use, want %d", v.InuseObjects, movers*held)
			}
			if v.AllocObjects < last {
				t.Fatalf("%d blocks allocated, after %d", v.AllocObjects, last)
			}
			last = v.AllocObjects
		}
		if last == movers*held {
			t.Error("no block was moved")
		}
	})

	t.Run("snapshots may be taken at the same time", func(t *testing.T) {
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				for range rounds(20) {
					s, err := r.Snapshot()
					if err != nil {
						t.Error(err)
						return
					}
					if v := sum(s.through("move")); v.InuseObjects != movers*held {
						t.Errorf("%d blocks in use, want %d", v.InuseObjects, movers*held)
					}
				}
			})
		}
		readers.Wait()
	})

	stopped.Store(true)
	finished.Wait()
	t.Run("nothing is in use after all was freed", func(t *testing.T) {
		if v := sum(snapshot(t, r).through("move")); v.InuseObjects != 0 || v.InuseBytes != 0 {
			t.Errorf("%+v", v)
		}
	})
}

// noneOpen reports whether no file is open that recordings read: a module's, or one in which the kernel describes the process.
func noneOpen(t *testing.T) bool {
	t.Helper()
	modules, err := mappings.Self()
	if err != nil {
		t.Fatal(err)
	}
	return !slices.ContainsFunc(toolchain.OpenFiles(t), func(path string) bool {
		return strings.HasPrefix(path, "/proc/") || slices.ContainsFunc(modules, func(m mappings.Module) bool { return m.Path == path })
	})
}

// noneRuns reports whether no goroutine of a recording's runs: each runs code of one of two packages.
func noneRuns() bool {
	text := make([]byte, 1<<20)
	stacks := string(text[:runtime.Stack(text, true)])
	return !strings.Contains(stacks, "/cgoheap/internal/background.") && !strings.Contains(stacks, "/cgoheap/cgo.")
}

func TestManyRecordings(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	var stopped atomic.Bool
	finished := startMoving(&stopped)
	defer finished.Wait()
	defer stopped.Store(true)
	t.Run("200 of them, under load, begin at zero and leave nothing open", func(t *testing.T) {
		for n := range 200 {
			startAndStop(t, n)
		}
		eventually(t, "their files were closed", func() bool { return noneOpen(t) })
		eventually(t, "their goroutines had ended", noneRuns)
	})
}

func executable() ([]mappings.Module, error) {
	modules, err := mappings.Self()
	if err != nil {
		return nil, err
	}
	return modules[:1], nil
}

func startAndStop(t *testing.T, n int) {
	t.Helper()
	o := Options{SampleBytes: 1 << (n % 13), MaxDepth: 1 + n%40, TableBytes: int64(8+n%3) << 20}
	if n%8 != 0 {
		o.Modules = executable // the rows of all libraries take a while
	}
	r, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	defer stop(t, r)
	if n%4 != 0 {
		return
	}
	for _, s := range snapshot(t, r).Samples {
		// What was allocated before the start is not seen, and so its end is not either.
		if s.InuseObjects < 0 || s.InuseBytes < 0 || s.InuseObjects > s.AllocObjects {
			t.Fatalf("%+v", s)
		}
	}
}

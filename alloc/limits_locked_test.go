//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// lock calls mlockall.
func lock(t *testing.T, flags int) {
	t.Helper()
	if err := unix.Mlockall(flags); err != nil {
		t.Skipf("this process may not lock its memory: %v", err)
	}
}

// resident is the process's RSS in MiB.
func resident(t *testing.T) int64 {
	t.Helper()
	runtime.GC()
	bytes, err := usage.Running.RSS()
	if err != nil {
		t.Fatal(err)
	}
	return bytes >> 20
}

func TestRecordingsInLockedMemory(t *testing.T) {
	t.Run("begin with nothing of the one before, and end without its memory", func(t *testing.T) {
		if !profiletest.Afresh(t) {
			return
		}
		lock(t, unix.MCL_CURRENT) // what locking makes resident of others, the race detector's memory among it, is so before
		if err := unix.Munlockall(); err != nil {
			t.Fatal(err)
		}
		before := resident(t)
		options := Options{SampleBytes: 1, MaxDepth: 128, TableBytes: 256 << 20}
		r := start(t, options)
		lock(t, unix.MCL_CURRENT)
		list := victim.MallocList(1000, 96000)
		recordedOfSize(t, r, 96000, kept(1000, 96000))
		stop(t, r)
		if grown := resident(t) - before; grown > 160 {
			t.Errorf("%d MiB are left, of tables of 256", grown)
		}
		r = start(t, options)
		if v := ofSize(t, r, 96000); v.AllocObjects != 0 {
			t.Errorf("the second recording has %+v", v)
		}
		victim.FreeList(list)
		defer victim.Free(victim.Malloc(96001))
		recordedOfSize(t, r, 96001, kept(1, 96001))
	})

	t.Run("take only what they use", func(t *testing.T) {
		if !profiletest.Afresh(t) {
			return
		}
		lock(t, unix.MCL_FUTURE)
		before := resident(t)
		r := start(t, Options{SampleBytes: 1, MaxDepth: 128, TableBytes: 1 << 30})
		defer victim.Free(victim.Malloc(96002))
		recordedOfSize(t, r, 96002, kept(1, 96002))
		if grown := resident(t) - before; grown > 32 {
			t.Errorf("%d MiB more are resident, of tables of 1024", grown)
		}
	})
}

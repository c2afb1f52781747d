//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/toolchain"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

// ofSize returns what was recorded of blocks of this size, on any stack.
func ofSize(t *testing.T, r *Recording, size int64) stack.Values {
	t.Helper()
	var found []stack.Sample
	for _, s := range snapshot(t, r).Samples {
		if s.BlockSize == size {
			found = append(found, s)
		}
	}
	return sum(found)
}

func recordedOfSize(t *testing.T, r *Recording, size int64, want stack.Values) {
	t.Helper()
	if got := ofSize(t, r, size); got != want {
		t.Errorf("blocks of %d bytes: %+v, want %+v", size, got, want)
	}
}

// lossless fails the test if the recording lost anything.
func lossless(t *testing.T, r *Recording) {
	t.Helper()
	for _, l := range snapshot(t, r).Losses {
		if l.Name != "peak_inexact" { // on a busy machine a thread may be stopped anywhere; nothing is lost by that
			t.Errorf("%d %s", l.Count, l.Sentence)
		}
	}
}

func TestAllocationsOfALibraryThatIsLoaded(t *testing.T) {
	library, path := filepath.Join(t.TempDir(), "loading.so"), filepath.Join(t.TempDir(), "user.so")
	const sources = "../internal/victim/testdata/"
	target := toolchain.Target(t)
	target.Build(t, "gcc", "-O2", "-fPIC", "-shared", "-o", library, sources+"loading.c")
	target.Build(t, "gcc", "-O2", "-fPIC", "-shared", "-o", path, sources+"loading_user.c", library)
	r := start(t, everything)
	for n := range int64(10) {
		p := open(t, path)
		for _, size := range []int64{7001, 7002} {
			want := passed(n+1, size)
			want.InuseObjects, want.InuseBytes = 1, size
			recordedOfSize(t, r, size, want)
		}
		p.Close()
		for _, size := range []int64{7001, 7002, 7003} {
			recordedOfSize(t, r, size, passed(n+1, size))
		}
	}
}

func TestABlockFromBeforeMain(t *testing.T) {
	r := start(t, everything)
	frees := value(t, r, "frees")
	perform(func() {
		block := victim.Realloc(victim.Constructed(), 7005)
		victim.Free(block)
	})
	recordedSites(t, r, map[string]stack.Values{"victim_realloc": passed(1, 7005)})
	if n := value(t, r, "frees") - frees; n == 0 {
		t.Error("its end was not seen")
	}
}

func TestThreadsThatEnd(t *testing.T) {
	r := start(t, everything)
	var blocks []unsafe.Pointer
	const times = 50
	for range times {
		blocks = append(blocks, victim.MallocInTLSDestructor(7006))
	}
	objects := make([]unsafe.Pointer, times)
	for n := range objects {
		objects[n] = victim.NewInThreadLocal(7007)
	}
	for _, size := range []int64{7006, 7007} {
		want := passed(2*times, size)
		want.InuseObjects, want.InuseBytes = times, times*size
		recordedOfSize(t, r, size, want)
	}
	free(blocks)
	for _, object := range objects {
		victim.Delete(object)
	}
	for _, size := range []int64{7006, 7007} {
		recordedOfSize(t, r, size, passed(2*times, size))
	}
	lossless(t, r)
}

func TestManyBriefThreads(t *testing.T) {
	const many = 10000
	r := start(t, everything)
	brief := func(count int) {
		if err := victim.BriefThreads(count, 7008); err != nil {
			t.Fatal(err)
		}
	}
	brief(many / 10)
	before := value(t, r, "live")
	used := value(t, r, "table_bytes")
	brief(many - many/10)
	recordedOfSize(t, r, 7008, passed(many, 7008))
	// What libc keeps for threads to come is a handful of blocks. Nothing is kept for each thread that was.
	if live := value(t, r, "live"); live > before+100 {
		t.Errorf("%d blocks in use became %d", before, live)
	}
	if now := value(t, r, "table_bytes"); now > used+many {
		t.Errorf("%d bytes of the tables became %d", used, now)
	}
	lossless(t, r)
}

// ofThreads are the blocks that the Go runtime allocates in C for a thread that it creates: it frees them on the new
// thread, before that has a goroutine.
func ofThreads(t *testing.T, r *Recording) stack.Values {
	t.Helper()
	var found []stack.Sample
	for _, s := range snapshot(t, r).Samples {
		if s.BlockSize == 3*8 && strings.Contains(goStack(s), "runtime.newm1 ") {
			found = append(found, s)
		}
	}
	return sum(found)
}

func goStack(s stack.Sample) string {
	var names strings.Builder
	for _, f := range s.Frames {
		names.WriteString(goFunction(f) + " ")
	}
	return names.String()
}

func TestThreadsOfTheGoRuntime(t *testing.T) {
	const many = 100
	r := start(t, everything)
	var ended sync.WaitGroup
	for range many {
		ended.Go(func() {
			runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
			victim.Free(victim.Malloc(7009))
		})
	}
	ended.Wait()
	recordedOfSize(t, r, 7009, passed(many, 7009))
	eventually(t, "all threads had begun", func() bool { return ofThreads(t, r).InuseObjects == 0 })
	if n := ofThreads(t, r).AllocObjects; n < many/2 {
		t.Errorf("%d threads were created", n)
	}
	lossless(t, r)
}

func TestBlocksOfOneThreadFreedByAnother(t *testing.T) {
	for _, size := range []int64{71, 7010} { // glibc keeps the small ones for the thread that frees them
		exchange(t, size)
	}
}

func exchange(t *testing.T, size int64) {
	const threads, count = 4, 100000
	r := start(t, everything)
	defer stop(t, r)
	var slots victim.Slots
	var done atomic.Bool
	var finished sync.WaitGroup
	finished.Go(func() {
		defer done.Store(true)
		if err := slots.Exchange(threads, count, uintptr(size)); err != nil {
			t.Error(err)
		}
	})
	for !done.Load() {
		if n := ofSize(t, r, size).InuseObjects; n < 0 || n > victim.SlotCount+threads {
			t.Fatalf("%d blocks in use, of %d slots and %d threads", n, victim.SlotCount, threads)
		}
	}
	finished.Wait()
	want := passed(threads*count, size)
	want.InuseObjects, want.InuseBytes = victim.SlotCount, victim.SlotCount*size
	recordedOfSize(t, r, size, want)
	if n := slots.Clear(); n != victim.SlotCount {
		t.Errorf("%d slots were full", n)
	}
	recordedOfSize(t, r, size, passed(threads*count, size))
	lossless(t, r)
}

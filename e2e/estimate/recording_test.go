package estimate

import (
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

const (
	sampleBytes = 128 << 10
	runs        = 240
)

// Two sizes on one stack, a million apart. About 27 of the small blocks are sampled in a run.
//
// The draws depend on the thread's number, too, so no seed fixes them, and each of Unbiased's bounds may fail by chance. The
// sampled small blocks K are binomial, almost Poisson, with the mean 400,000 (1 - exp(-9/T)) = 27.5, and 13.7 for half of them;
// a large block is missed once in exp(64). By the sums of these distributions, for all and for half in 240 runs:
//
//	one of 240 beyond 9 errors          1.4e-11 + 1.2e-10
//	37 of 240 beyond 2                  1.1e-10 + 5.0e-12
//	a deviation below 0.66, above 1.3   4.1e-9 + 4.4e-9, 4.7e-10 + 1.0e-9
//	a mean beyond 5.5 of its errors     4.0e-8 + 4.2e-8
//
// That is 9.2e-8. Bytes follow the same K as objects; were they drawn apart, it would be 1.9e-7.
var mixed = []Blocks{{2, 8 << 20}, {400_000, 8}}

// The estimates of one run: of everything allocated, and of what was in use while half of each size was freed.
type estimates struct {
	all, half stack.Values
}

func TestEstimatesOfMixedSizesScatterAsTheirStandardErrorSays(t *testing.T) {
	var allBytes, allObjects, halfBytes, halfObjects []float64
	for seed := range uint64(runs) {
		e := estimated(t, seed+1)
		allBytes = append(allBytes, float64(e.all.AllocBytes))
		allObjects = append(allObjects, float64(e.all.AllocObjects))
		halfBytes = append(halfBytes, float64(e.half.InuseBytes))
		halfObjects = append(halfObjects, float64(e.half.InuseObjects))
		if e.all.InuseBytes != 0 || e.all.InuseObjects != 0 {
			t.Fatalf("seed %d: everything was freed, yet %+v is in use", seed+1, e.all)
		}
	}
	Unbiased(t, "allocated bytes", allBytes, Bytes(mixed), BytesError(mixed, sampleBytes))
	Unbiased(t, "allocated objects", allObjects, Objects(mixed), ObjectsError(mixed, sampleBytes))
	half := []Blocks{{1, 8 << 20}, {200_000, 8}}
	Unbiased(t, "bytes in use", halfBytes, Bytes(half), BytesError(half, sampleBytes))
	Unbiased(t, "objects in use", halfObjects, Objects(half), ObjectsError(half, sampleBytes))
}

// estimated makes one recording of mixed, on a thread whose random draws start from seed.
func estimated(t *testing.T, seed uint64) estimates {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	recording, err := alloc.Start(alloc.Options{SampleBytes: sampleBytes, MaxDepth: 64, TableBytes: 64 << 20, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := recording.Stop(); err != nil {
			t.Error(err)
		}
	}()
	var lists []unsafe.Pointer
	for range 2 {
		lists = append(lists, allocateHalf()...)
	}
	for _, list := range lists[:len(mixed)] {
		victim.FreeList(list)
	}
	var e estimates
	e.half = ofMallocList(t, recording)
	for _, list := range lists[len(mixed):] {
		victim.FreeList(list)
	}
	e.all = ofMallocList(t, recording)
	return e
}

//go:noinline
func allocateHalf() []unsafe.Pointer {
	var lists []unsafe.Pointer
	for _, b := range mixed {
		lists = append(lists, victim.MallocList(uintptr(b.Count/2), uintptr(b.Size)))
	}
	return lists
}

// ofMallocList sums up the samples of the stacks that function is in.
func ofMallocList(t *testing.T, recording *alloc.Recording) stack.Values {
	t.Helper()
	snapshot, err := recording.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	var sum stack.Values
	for _, sample := range snapshot.Samples {
		if through(sample.Frames, ".MallocList") {
			sum.Add(sample.Values)
		}
	}
	return sum
}

// through reports whether a function is in a stack; of functions inlined into each other, FuncForPC returns the innermost.
func through(frames []stack.Frame, suffix string) bool {
	for _, frame := range frames {
		f := runtime.FuncForPC(uintptr(frame.Address()))
		if f != nil && strings.HasSuffix(f.Name(), suffix) {
			return true
		}
	}
	return false
}

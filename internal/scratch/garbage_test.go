package scratch

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func collections() uint32 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.NumForcedGC
}

// forced is how many collections do runs.
func forced(do func()) uint32 {
	before := collections()
	do()
	return collections() - before
}

func mebibyte() {
	for range 1024 {
		Garbage(1024)
	}
}

func TestASmallHeapIsCollectedForEachMegabyteOfGarbage(t *testing.T) {
	runtime.GC()
	if n := forced(mebibyte); n != 1 {
		t.Errorf("%d collections, want 1", n)
	}
}

var kept []byte

// allocate allocates that many bytes, and keeps the last 64 KiB.
func allocate(bytes int) {
	for ; bytes > 0; bytes -= 1 << 16 {
		kept = make([]byte, 1<<16)
	}
}

func TestMemoryIsReturnedAfterAProfileThatAllocatedMuch(t *testing.T) {
	runtime.GC()
	for _, c := range []struct {
		allocated int
		want      uint32
	}{{muchGarbage + muchGarbage/4, 1}, {muchGarbage - muchGarbage/4, 0}, {0, 0}} {
		before := Allocated()
		allocate(c.allocated)
		if n := forced(func() { ReturnGarbage(before) }); n != c.want {
			t.Errorf("after %d bytes memory was returned %d times, want %d", c.allocated, n, c.want)
		}
	}
}

func TestMemoryIsReturnedBeforeSomethingLarge(t *testing.T) {
	runtime.GC()
	Allocated()
	for _, c := range []struct {
		allocated int
		want      uint32
	}{{0, 0}, {garbageStep, 1}, {0, 0}, {garbageStep / 4, 0}, {garbageStep, 1}} {
		allocate(c.allocated)
		if n := forced(ClearGarbage); n != c.want {
			t.Errorf("after %d bytes memory was returned %d times, want %d", c.allocated, n, c.want)
		}
	}
}

// wasteful does all that a small heap is collected for.
func wasteful() {
	before := Allocated()
	mebibyte()
	allocate(2 * muchGarbage)
	ClearGarbage()
	ReturnGarbage(before)
}

func TestALargeHeapIsLeftAlone(t *testing.T) {
	large := make([]*int, 2*smallHeap/8) // pointers, which are scanned
	runtime.GC()
	if n := forced(wasteful); n != 0 {
		t.Errorf("%d collections", n)
	}
	runtime.KeepAlive(large)
}

func TestACollectorThatIsTurnedOffStaysOff(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.GC()
	if n := forced(wasteful); n != 0 {
		t.Errorf("%d collections", n)
	}
}

package report

import (
	"io"
	"runtime"
	"testing"

	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

var kept []byte

// heavy allocates that many bytes at each Write, as an encoder behind it may.
type heavy int

func (h heavy) Write(p []byte) (int, error) {
	for n := 0; n < int(h); n += 1 << 16 {
		kept = make([]byte, 1<<16)
	}
	return len(p), nil
}

// A profile that allocates much in a small Go heap returns it to the kernel. One that allocates little does not collect the
// program's heap.
func TestAProfileThatAllocatesMuchReturnsMemory(t *testing.T) {
	forced := func(w io.Writer) uint32 {
		r := Report{Names: symbolize.New(symbolize.Options{}), Module: func(stack.ModuleID) *mappings.Module { return nil }}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		if err := r.Write(w); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.NumForcedGC - before.NumForcedGC
	}
	if n := forced(heavy(4 << 20)); n != 1 {
		t.Errorf("a profile that allocates 4 MiB collects %d times, want once", n)
	}
	if n := forced(io.Discard); n != 0 {
		t.Errorf("a small profile collects %d times", n)
	}
}

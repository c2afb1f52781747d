package symbolize

import (
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/mappings"
)

// A profile is often written when memory is nearly used up: what its names take for a moment may be the last drop. The
// library has 40,000 functions with 10 MB of names. They must not be read as a whole, and what is left in Go's heap must be
// little: 4 bytes for each function, and 30 for each address with its names, which repeat each other here as they do in C++.
func TestTheFirstNamesOfALargeLibraryTakeLittleMemory(t *testing.T) {
	const functions = 40_000
	path, all := wordy(t, functions)
	addresses := every(8, all)
	s := New(Options{})
	var before, after runtime.MemStats
	heap := heapInUse()
	runtime.ReadMemStats(&before)
	resident, err := usage.Running.ResetPeak()
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range s.Resolve(module(path), addresses) {
		if result.Reason != named {
			t.Fatalf("%+v", result)
		}
	}
	peak, err := usage.Running.Peak()
	if err != nil {
		t.Fatal(err)
	}
	peak -= resident
	runtime.ReadMemStats(&after)
	if peak > 16<<20 {
		t.Errorf("%d bytes more were resident at the peak, want at most 16 MiB", peak)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 8<<20 {
		t.Errorf("%d bytes of Go's heap for %d names", allocated, len(addresses))
	}
	const eachFunction, eachAddress, unused = 4, 30, 128 << 10
	s.Note(MissingCounts{})
	kept, want := heapInUse()-heap, functions*eachFunction+len(addresses)*eachAddress
	if kept > int64(want)+unused {
		t.Errorf("%d bytes of Go's heap are kept, want %d and at most %d unused ones", kept, want, unused)
	}
	runtime.ReadMemStats(&after)
	if objects := int64(after.HeapObjects) - int64(before.HeapObjects); objects > 500 {
		t.Errorf("what is kept is %d objects: they lie among garbage", objects)
	}
	runtime.KeepAlive(s)
	runtime.KeepAlive(all)
	t.Logf("kept %d KiB, want %d", kept>>10, want>>10)
	t.Logf("peak %d KiB, %d addresses", peak>>10, len(addresses))
}

// While a profile is made, the names of all its modules are in memory. They share blocks.
func TestManyModulesWithAFewNamesTakeLittleMemory(t *testing.T) {
	path, addresses := wordy(t, 3)
	s, results := New(Options{}), make([][]Result, 100)
	modules := make([]*mappings.Module, len(results))
	for i := range modules {
		modules[i] = module(path + strconv.Itoa(i))
		if err := os.Link(path, modules[i].Path); err != nil {
			t.Fatal(err)
		}
	}
	for profile := range 2 {
		before := heapInUse()
		for i, m := range modules {
			results[i] = s.Resolve(m, addresses)
		}
		grown := heapInUse() - before
		for i, of := range results {
			if len(of) != 3 || len(of[0].Lines) != 1 || of[0].Lines[0] != results[0][0].Lines[0] {
				t.Fatalf("module %d: %+v", i, of)
			}
		}
		if grown > 1<<20 {
			t.Errorf("in profile %d, Go's heap grew by %d KiB for 100 modules of 3 names", profile, grown>>10)
		}
		s.Note(MissingCounts{})
	}
	runtime.KeepAlive(s)
}

package pprof

import (
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/cgoheap/cgoheap/stack"
)

// manyLocations registers n named locations of one library with the encoder.
func manyLocations(e *Encoder, n int) []LocationID {
	ids := make([]LocationID, n)
	for i := range ids {
		ids[i] = e.Location(manyLocation(i))
	}
	return ids
}

func manyLocation(i int) Location {
	name := fmt.Sprintf("function_%d", i)
	return Location{Mapping: libc, Address: 0x1000 + uint64(i)*16, Lines: []Line{
		{Function: Function{Name: name, SystemName: "_Z" + name, File: fmt.Sprintf("file_%d.cc", i/10), StartLine: 10}, Line: int64(i)},
	}}
}

func TestSampleDoesNotAllocate(t *testing.T) {
	e := NewEncoder(io.Discard, Header{Main: service})
	ids := manyLocations(e, 30)
	s := &stack.Sample{
		Values:    stack.Values{AllocObjects: 1, AllocBytes: 1 << 40},
		BlockSize: 1 << 20,
		Labels:    []stack.Label{{Key: "age", Number: 60, Unit: "seconds"}, {Key: "heap", Text: "native"}},
	}
	sample := func() {
		if err := e.Sample(ids, s); err != nil {
			t.Fatal(err)
		}
	}
	for range 10_000 { // lets the buffers of wire and gzip reach their size
		sample()
	}
	if allocs := testing.AllocsPerRun(10_000, sample); allocs != 0 {
		t.Errorf("a sample costs %v allocations", allocs)
	}
}

func TestMemoryDoesNotGrowWithSamples(t *testing.T) {
	e := NewEncoder(io.Discard, Header{Main: service})
	ids := manyLocations(e, 30)
	encode := func(n int) (allocated uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for i := range n {
			s := stack.Sample{Values: stack.Values{AllocObjects: int64(i)}, BlockSize: int64(i)}
			if err := e.Sample(ids[i%10:], &s); err != nil {
				t.Fatal(err)
			}
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	encode(10_000)
	if grown := encode(100_000); grown > 64<<10 {
		t.Errorf("100,000 samples allocated %d bytes", grown)
	}
}

func TestKnownLocationCostsNoAllocation(t *testing.T) {
	e := NewEncoder(io.Discard, Header{Main: service})
	l := manyLocation(1)
	id := e.Location(l)
	allocs := testing.AllocsPerRun(1000, func() {
		if e.Location(l) != id {
			t.Fatal("one location has two numbers")
		}
	})
	if allocs != 0 {
		t.Errorf("a known location costs %v allocations", allocs)
	}
}

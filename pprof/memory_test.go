package pprof

import (
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/google/pprof/profile"

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
	sample := func() {
		if err := e.Sample(ids, stack.Values{AllocObjects: 1, AllocBytes: 1 << 40}, 1<<20); err != nil {
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
			if err := e.Sample(ids[i%10:], stack.Values{AllocObjects: int64(i)}, int64(i)); err != nil {
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

const (
	benchSamples   = 100_000
	benchFrames    = 30
	benchLocations = 5000
)

// benchStack fills frames with the numbers of the i-th stack: neighbours share most of their callers, as in a service.
func benchStack(i int, frames []int) {
	for depth := range frames {
		frames[depth] = (i>>(depth/2)*31 + depth*97) % benchLocations
	}
}

// BenchmarkWrite measures the encoder, and google/pprof's Profile.Write on the same 100,000 samples of 30 frames in the
// same run. Both begin with named locations: google's with the objects of a profile, ours with Location values. The
// ratio says how many times as long google's takes.
func BenchmarkWrite(b *testing.B) {
	locations := make([]Location, benchLocations)
	for i := range locations {
		locations[i] = manyLocation(i)
	}
	var ours, googles float64
	b.Run("encoder", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			encodeBench(b, locations)
		}
		ours = b.Elapsed().Seconds() / float64(b.N)
	})
	p := googleBench(locations)
	b.Run("google", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			if err := p.Write(io.Discard); err != nil {
				b.Fatal(err)
			}
		}
		googles = b.Elapsed().Seconds() / float64(b.N)
		b.ReportMetric(googles/ours, "google/ours")
	})
}

func encodeBench(b *testing.B, locations []Location) {
	e := NewEncoder(io.Discard, Header{Main: service, SampleBytes: 512 << 10})
	ids := make([]LocationID, len(locations))
	for i := range locations {
		ids[i] = e.Location(locations[i])
	}
	var numbers [benchFrames]int
	var frames [benchFrames]LocationID
	for i := range benchSamples {
		benchStack(i, numbers[:])
		for depth, n := range numbers {
			frames[depth] = ids[n]
		}
		v := stack.Values{AllocObjects: int64(i), AllocBytes: int64(i) * 64, InuseObjects: int64(i / 2), InuseBytes: int64(i/2) * 64}
		if err := e.Sample(frames[:], v, 64); err != nil {
			b.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		b.Fatal(err)
	}
}

func googleBench(locations []Location) *profile.Profile {
	r := recording{header: Header{Main: service, SampleBytes: 512 << 10}}
	p := r.slowRoad()
	m := &profile.Mapping{ID: 2, File: libc.File, BuildID: libc.BuildID, Limit: 1<<64 - 1, HasFunctions: true}
	p.Mapping = append(p.Mapping, m)
	for i, l := range locations {
		f := l.Lines[0].Function
		function := &profile.Function{ID: uint64(i + 1), Name: f.Name, SystemName: f.SystemName, Filename: f.File, StartLine: f.StartLine}
		p.Function = append(p.Function, function)
		p.Location = append(p.Location, &profile.Location{
			ID: uint64(i + 1), Mapping: m, Address: l.Address, Line: []profile.Line{{Function: function, Line: l.Lines[0].Line}},
		})
	}
	var numbers [benchFrames]int
	for i := range benchSamples {
		benchStack(i, numbers[:])
		s := &profile.Sample{
			Value:    []int64{int64(i), int64(i) * 64, int64(i / 2), int64(i/2) * 64},
			NumLabel: map[string][]int64{"bytes": {64}}, NumUnit: map[string][]string{"bytes": {"bytes"}},
		}
		for _, n := range numbers {
			s.Location = append(s.Location, p.Location[n])
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

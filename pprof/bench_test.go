package pprof

import (
	"io"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/stack"
)

const (
	benchSamples   = 100_000
	benchFrames    = 30
	benchLocations = 5000
)

// benchStacks returns stacks of indexes of locations: neighbours share most of their callers, as in a service.
func benchStacks() [][benchFrames]int {
	stacks := make([][benchFrames]int, benchSamples)
	for i := range stacks {
		for depth := range benchFrames {
			stacks[i][depth] = (i>>(depth/2)*31 + depth*97) % benchLocations
		}
	}
	return stacks
}

func benchValues(i int) stack.Values {
	n := int64(i)
	return stack.Values{AllocObjects: n, AllocBytes: n * 64, InuseObjects: n / 2, InuseBytes: n / 2 * 64}
}

// BenchmarkWrite measures the encoder, and google/pprof's Profile.Write on the same 100,000 samples of 30 frames in the
// same run. Both begin with named locations: google's with the objects of a profile, ours with Location values. The
// ratio says how many times as long google's takes.
func BenchmarkWrite(b *testing.B) {
	locations := make([]Location, benchLocations)
	for i := range locations {
		locations[i] = manyLocation(i)
	}
	stacks := benchStacks()
	var ours, googles float64
	b.Run("encoder", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			encodeBench(b, locations, stacks)
		}
		ours = b.Elapsed().Seconds() / float64(b.N)
	})
	p := googleBench(locations, stacks)
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

func encodeBench(b *testing.B, locations []Location, stacks [][benchFrames]int) {
	e := NewEncoder(io.Discard, Header{Main: service, SampleBytes: 512 << 10})
	ids := make([]LocationID, len(locations))
	for i := range locations {
		ids[i] = e.Location(locations[i])
	}
	var frames [benchFrames]LocationID
	for i := range stacks {
		for depth, n := range stacks[i] {
			frames[depth] = ids[n]
		}
		if err := e.Sample(frames[:], &stack.Sample{Values: benchValues(i), BlockSize: 64}); err != nil {
			b.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		b.Fatal(err)
	}
}

func googleBench(locations []Location, stacks [][benchFrames]int) *profile.Profile {
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
	for i := range stacks {
		v := benchValues(i)
		s := &profile.Sample{
			Value:    []int64{v.AllocObjects, v.AllocBytes, v.InuseObjects, v.InuseBytes},
			NumLabel: map[string][]int64{"bytes": {64}}, NumUnit: map[string][]string{"bytes": {"bytes"}},
		}
		for _, n := range stacks[i] {
			s.Location = append(s.Location, p.Location[n])
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

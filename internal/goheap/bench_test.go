package goheap

import (
	"io"
	runtimepprof "runtime/pprof"
	"testing"
)

// BenchmarkRead measures this package's share of a whole profile, against runtime/pprof's, which names and writes as well.
func BenchmarkRead(b *testing.B) {
	allocate(b)
	b.Run("Read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Read(inModule(1))
		}
		b.ReportMetric(float64(len(Read(inModule(1)).Samples)), "samples")
	})
	b.Run("baseline: runtime/pprof", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := runtimepprof.Lookup("heap").WriteTo(io.Discard, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
}

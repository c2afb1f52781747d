package stack

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// BenchmarkBaseline compares a Baseline with a map, which is faster to search and takes twice the memory.
func BenchmarkBaseline(b *testing.B) {
	const samples = 100_000
	p := Profile{Samples: make([]Sample, samples)}
	for i := range p.Samples {
		p.Samples[i] = Sample{ID: uint64(i*7919%samples + 1), Values: Values{InuseBytes: int64(i % 2)}}
	}
	base, byID := NewBaseline(&p), map[uint64]Values{}
	for i := range p.Samples {
		byID[p.Samples[i].ID] = p.Samples[i].Values
	}
	b.Run("NewBaseline", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			NewBaseline(&p)
		}
	})
	b.Run("Delta", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			base.Delta(&p)
		}
	})
	b.Run("baseline: Delta from a map", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var left Profile
			for _, s := range p.Samples {
				if s.AllocBytes -= byID[s.ID].AllocBytes; s.Values != (Values{}) {
					left.Samples = append(left.Samples, s)
				}
			}
		}
	})
}

func BenchmarkTop(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	p := &Profile{Samples: make([]Sample, 100_000)}
	for i := range p.Samples {
		p.Samples[i].InuseBytes = rng.Int64N(1 << 40)
	}
	b.Run("16000 of 100000", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p.Top(16_000, inuseBytes, "heap")
		}
	})
	b.Run("baseline: sort all", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			all := slices.Clone(p.Samples)
			slices.SortFunc(all, func(x, y Sample) int { return int(y.InuseBytes - x.InuseBytes) })
		}
	})
}

package excerpt

import (
	"bytes"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/export/internal/standin"
)

// BenchmarkExcerpt makes the two excerpts that Parca gets of a profile of 16,000 samples: here, and, as the baseline, with
// google/pprof. Writing that profile anew, which a second Write would at least cost, is there for comparison.
func BenchmarkExcerpt(b *testing.B) {
	p := &standin.Profiler{Filler: 16_000}
	var whole bytes.Buffer
	if err := p.Write(&whole, cgoheap.Selection{}); err != nil {
		b.Fatal(err)
	}
	two := []Part{parts["in use, and no duration"], parts["allocated, with the duration"]}
	b.Run("here", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p, err := Read(whole.Bytes())
			if err != nil {
				b.Fatal(err)
			}
			for _, part := range two {
				if _, err := p.Write(part); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("google", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for range two {
				p, err := profile.ParseData(whole.Bytes())
				if err != nil {
					b.Fatal(err)
				}
				if err := p.Write(new(bytes.Buffer)); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("writing", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := p.Write(new(bytes.Buffer), cgoheap.Selection{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

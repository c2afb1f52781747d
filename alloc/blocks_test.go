//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/suspects"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// The blocks that Live yields have the bytes of the snapshot's samples, and the variance that the samples alone tell.
func TestLiveBlocksAreTheSnapshots(t *testing.T) {
	o := everything
	o.SampleBytes = 16 << 10
	r := start(t, o)
	for range 4000 {
		block := victim.Malloc(1000)
		defer victim.Free(block)
	}
	time.Sleep(3 * LiveTick) // younger blocks do not count
	type sums struct{ bytes, variance float64 }
	bySample := make(map[uint64]sums)
	if err := r.Live(func(ticks uint64, each func(func(*suspects.Block))) {
		each(func(b *suspects.Block) {
			if b.Born < ticks {
				s := bySample[b.Site]
				bySample[b.Site] = sums{s.bytes + b.Bytes, s.variance + b.Variance}
			}
		})
	}); err != nil {
		t.Fatal(err)
	}
	s, err := r.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for i := range s.Samples {
		sample := &s.Samples[i]
		if sample.BlockSize != 1000 || sample.InuseBytes == 0 {
			continue
		}
		checked++
		got, want := bySample[sample.ID], sample.Spread(s.SampleBytes).InuseBytes
		if math.Abs(got.bytes-float64(sample.InuseBytes)) > 2000 || math.Abs(got.variance/want-1) > 0.01 {
			t.Errorf("%.0f bytes of %d, variance %.3g of %.3g", got.bytes, sample.InuseBytes, got.variance, want)
		}
	}
	if checked == 0 {
		t.Error("there is no such sample")
	}
	stop(t, r)
	if err := r.Live(nil); !errors.Is(err, errStopped) {
		t.Error(err)
	}
}

func TestMemoryRegisteredWithADriverIsLiveOnce(t *testing.T) {
	const size = 77777
	r := start(t, everything)
	block := victim.Malloc(size)
	defer victim.Free(block)
	key := 1<<62 | uintptr(block)
	cgo.Allocated(key, size, "cuda pinned")
	defer cgo.Freed(key)
	blocks := 0
	if err := r.Live(func(_ uint64, each func(func(*suspects.Block))) {
		each(func(b *suspects.Block) {
			if b.Bytes == size {
				blocks++
			}
		})
	}); err != nil || blocks != 1 {
		t.Errorf("%d blocks, want 1; %v", blocks, err)
	}
}

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

func TestObjectsTellTheBytesOfOneSize(t *testing.T) {
	half := rounding{1 << 15, 1 << 15} // rounds to the nearest
	sum := func(objects, bytes uint64) weight { return weight{signed(objects), signed(bytes)} }
	const below = 1<<64 - 1<<16 // one less than nothing
	for _, c := range []struct {
		sum            weight
		size           uint64
		objects, bytes int64
	}{
		{weight{}, 100, 0, 0},
		{sum(3<<16, 0), 100, 3, 300},
		{sum(3<<16+1<<15, 0), 100, 4, 350},
		{sum(1<<40, 0), 1 << 30, 1 << 24, 1 << 54}, // a product of 70 bits
		{sum(3<<16, 500<<4), cgo.SiteMixed, 3, 500},
		{sum(below, 0), 100, 0, 0},
		{sum(1<<16, below), cgo.SiteMixed, 0, 0},
	} {
		if objects, bytes := half.numbers(c.sum, c.size); objects != c.objects || bytes != c.bytes {
			t.Errorf("%+v of size %d are %d objects of %d bytes, want %d of %d", c.sum, c.size, objects, bytes, c.objects, c.bytes)
		}
	}
}

// parts is the number of sites that are parts of others.
func parts() (n int) {
	for _, ref := range sites(nil) {
		if wholeOf(ref) != ref {
			n++
		}
	}
	return n
}

func TestASiteThatIsSplitIsOneSample(t *testing.T) {
	r := start(t, everything)
	var pairs int64
	for deadline := time.Now().Add(20 * time.Second); parts() == 0; {
		if time.Now().After(deadline) {
			t.Fatal("no site was split")
		}
		pairs += victim.PairsOnThreads(4, 20000)
	}
	s := snapshot(t, r)
	var total, samples int64
	for _, sample := range s.Samples {
		if sample.BlockSize == victim.PairSize {
			samples++
			total += sample.AllocObjects
			checkPairs(t, sample)
		}
	}
	if samples != 1 || total != pairs {
		t.Errorf("%d pairs are %d allocations in %d samples", pairs, total, samples)
	}
}

func checkPairs(t *testing.T, s stack.Sample) {
	t.Helper()
	if s.AllocBytes != s.AllocObjects*victim.PairSize || s.InuseObjects != 0 || s.InuseBytes != 0 {
		t.Errorf("all %d pairs are %+v", s.AllocObjects, s.Values)
	}
}

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"testing"

	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

func TestThreadsAtOneSiteAreOneSample(t *testing.T) {
	r := start(t, everything)
	pairs := victim.PairsOnThreads(4, 20000)
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

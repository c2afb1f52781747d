//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"fmt"
	"math"
	"runtime"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

const interval = 512 << 10

// sizesToRound are sizes whose blocks stand for 2.64, 1.53 and 1.47 blocks at the interval.
var sizesToRound = []uint64{250_000, 560_000, 600_000}

// chance is the probability that a block is sampled.
func chance(size uint64) float64 { return -math.Expm1(-(float64(size) + 1) / interval) }

// deviation is the standard deviation of the objects in a profile of n stacks with one block each, from sampling and from
// rounding.
func deviation(size uint64, n int) float64 {
	p := chance(size)
	fraction := 1/p - math.Floor(1/p)
	return math.Sqrt(float64(n) * ((1-p)/p + p*fraction*(1-fraction)))
}

// expect checks a number of objects, and of bytes, against the truth, within 5.5 standard deviations. The draws depend on the
// thread's number, too, so no seed fixes them. The number of sampled blocks is binomial, and so is the number of those that are
// rounded up: by the sums of these distributions, objects are beyond in 3.9e-8, 3.8e-8 and 3.7e-8 of all runs for the three sizes,
// and bytes, which are hardly rounded, in 1.6e-8, 2.9e-10 and 1.4e-10. That is 1.3e-7 for the test.
func expect(t *testing.T, got stack.Values, size uint64, n int) {
	t.Helper()
	limit := 5.5 * deviation(size, n)
	if off := float64(got.InuseObjects) - float64(n); math.Abs(off) > limit {
		t.Errorf("%d objects in use of %d, %.0f standard deviations off", got.InuseObjects, n, 5.5*off/limit)
	}
	if off := float64(got.InuseBytes)/float64(size) - float64(n); math.Abs(off) > limit {
		t.Errorf("%d bytes in use of %d", got.InuseBytes, uint64(n)*size)
	}
	if got.AllocObjects != got.InuseObjects || got.AllocBytes != got.InuseBytes {
		t.Errorf("nothing was freed, and allocated are %+v", got)
	}
}

// onOneOf allocates on one of 2^bits stacks.
//
//go:noinline
func onOneOf(path, bits int, size uintptr) unsafe.Pointer {
	switch {
	case bits == 0:
		return victim.Malloc(size)
	case path&1 == 0:
		block := onOneOf(path>>1, bits-1, size)
		runtime.KeepAlive(path)
		return block
	default:
		block := onOneOf(path>>1, bits-1, size)
		runtime.KeepAlive(bits)
		return block
	}
}

func TestRecordedStacksOfOneBlockEach(t *testing.T) {
	const bits, recordings = 10, 8
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, size := range sizesToRound {
		t.Run(fmt.Sprintf("objects of %d bytes are unbiased", size), func(t *testing.T) {
			var inUse, peak, passed stack.Values
			for seed := range uint64(recordings) {
				o := Options{SampleBytes: interval, MaxDepth: 64, TableBytes: 64 << 20, Seed: seed + 1, Modules: executable}
				r := start(t, o)
				var blocks []unsafe.Pointer
				for path := range 1 << bits {
					blocks = append(blocks, onOneOf(path, bits, uintptr(size)))
				}
				taken := snapshot(t, r)
				now := sum(taken.through("onOneOf"))
				inUse.Add(now)
				checkObjects(t, taken)
				highest := view(t, func() (*Snapshot, error) { return r.PeakIn(nil) })
				checkObjects(t, highest)
				peak.Add(sum(highest.through("onOneOf")))
				for tick := cgo.Ticks(); cgo.Ticks() == tick; {
					runtime.Gosched()
				}
				byAge := view(t, func() (*Snapshot, error) { return r.AgesIn(nil, 0) })
				checkObjects(t, byAge)
				if v := sum(byAge.through("onOneOf")); v != (stack.Values{InuseObjects: now.InuseObjects, InuseBytes: now.InuseBytes}) {
					t.Errorf("in use are %+v, and %+v by age", now, v)
				}
				free(blocks)
				brief := view(t, func() (*Snapshot, error) { return r.ShortLivedIn(nil, Lifetimes()[len(Lifetimes())-1]) })
				checkObjects(t, brief)
				passed.Add(sum(brief.through("onOneOf")))
				stop(t, r)
			}
			n := recordings << bits
			expect(t, inUse, size, n)
			for name, v := range map[string]int64{"peak": peak.InuseObjects, "short-lived": passed.AllocObjects} {
				if v != inUse.InuseObjects {
					t.Errorf("%s: %d objects, in use were %d", name, v, inUse.InuseObjects)
				}
			}
		})
	}
}

// checkObjects wants an object wherever there are bytes.
func checkObjects(t *testing.T, s *Snapshot) {
	t.Helper()
	for _, sample := range s.Samples {
		if sample.InuseBytes > 0 && sample.InuseObjects == 0 || sample.AllocBytes > 0 && sample.AllocObjects == 0 {
			t.Errorf("bytes without an object: %+v", sample)
		}
	}
}

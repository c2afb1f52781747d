//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"fmt"
	"math"
	"math/rand/v2"
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

// chance is that of a block to be sampled.
func chance(size uint64) float64 { return -math.Expm1(-(float64(size) + 1) / interval) }

// deviation is the standard deviation of the objects in a profile, of n stacks with one block each: that of the sampling, and
// that of the rounding.
func deviation(size uint64, n int) float64 {
	p := chance(size)
	fraction := 1/p - math.Floor(1/p)
	return math.Sqrt(float64(n) * ((1-p)/p + p*fraction*(1-fraction)))
}

// expect checks a number of objects, and of bytes, against the truth, within four standard deviations.
func expect(t *testing.T, got stack.Values, size uint64, n int) {
	t.Helper()
	limit := 4 * deviation(size, n)
	if off := float64(got.InuseObjects) - float64(n); math.Abs(off) > limit {
		t.Errorf("%d objects in use of %d, %.0f standard deviations off", got.InuseObjects, n, 4*off/limit)
	}
	if off := float64(got.InuseBytes)/float64(size) - float64(n); math.Abs(off) > limit {
		t.Errorf("%d bytes in use of %d", got.InuseBytes, uint64(n)*size)
	}
	if got.AllocObjects != got.InuseObjects || got.AllocBytes != got.InuseBytes {
		t.Errorf("nothing was freed, and allocated are %+v", got)
	}
}

func TestStacksOfOneBlockEach(t *testing.T) {
	const stacks, recordings = 1024, 200
	for _, size := range sizesToRound {
		t.Run(fmt.Sprintf("objects of %d bytes are unbiased", size), func(t *testing.T) {
			p := chance(size)
			var total stack.Values
			for seed := range uint64(recordings) {
				random, r := rand.New(rand.NewPCG(seed, size)), reader{seed: seed}
				for site := range uint32(stacks) {
					if random.Float64() > p {
						continue
					}
					w := weight{objects: amount{low: uint64(math.Round(65536 / p))}}
					total.Add(flow{w, w}.values(size, r.rounding(100+16*site)))
				}
			}
			expect(t, total, size, stacks*recordings)
		})
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
				highest := view(t, r.Peak)
				checkObjects(t, highest)
				peak.Add(sum(highest.through("onOneOf")))
				for tick := cgo.Ticks(); cgo.Ticks() == tick; {
					runtime.Gosched()
				}
				byAge := view(t, func() (*Snapshot, error) { return r.Ages(0) })
				checkObjects(t, byAge)
				if v := sum(byAge.through("onOneOf")); v != (stack.Values{InuseObjects: now.InuseObjects, InuseBytes: now.InuseBytes}) {
					t.Errorf("in use are %+v, and %+v by age", now, v)
				}
				free(blocks)
				brief := view(t, func() (*Snapshot, error) { return r.ShortLived(Lifetimes()[len(Lifetimes())-1]) })
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

func TestRoundingIsFixedBySite(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 100_000 {
		r := rounding{random.Uint64N(1 << 16), random.Uint64N(1 << 16)}
		size := random.Uint64N(1 << 24)
		before := weight{objects: amount{low: random.Uint64N(1 << 40)}}
		more := amount{low: random.Uint64N(1 << 20)}
		after := weight{objects: before.objects.plus(more)}
		objects, bytes := r.numbers(before, size)
		moreObjects, moreBytes := r.numbers(after, size)
		if delta := moreObjects - objects; uint64(delta) != more.low>>16 && uint64(delta) != more.low>>16+1 {
			t.Fatalf("%d units more are %d objects more", more.low, delta)
		}
		if delta := moreBytes - bytes; uint64(delta) != more.low*size>>16 && uint64(delta) != more.low*size>>16+1 {
			t.Fatalf("%d units of %d bytes more are %d bytes more", more.low, size, delta)
		}
	}
}

func TestThresholdsOfSites(t *testing.T) {
	t.Run("a site's is the same in each profile of a recording, and another in another recording", func(t *testing.T) {
		r := reader{seed: 1}
		if r.rounding(7) != (&reader{seed: 1}).rounding(7) || r.rounding(7) == (&reader{seed: 2}).rounding(7) {
			t.Error("it is not")
		}
	})

	t.Run("every whole number of a delta is as frequent as its fraction says", func(t *testing.T) {
		const sites = 1 << 16
		r := reader{seed: 3}
		for _, units := range []uint64{1 << 10, 1 << 15, 3 << 14, 100_000, 1<<20 + 5} {
			var before, after float64
			for site := range uint32(sites) {
				u := r.rounding(16 * site)
				start := amount{low: 12_345_678}
				before += float64(start.rounded(16, u.objects))
				after += float64(start.plus(amount{low: units}).rounded(16, u.objects))
			}
			want := float64(units) // in all, as there are 2^16 sites
			if off := after - before - want; math.Abs(off) > 4*math.Sqrt(sites)/2 {
				t.Errorf("a delta of %d/65536 at each of %d sites adds up to %.0f, want %.0f", units, sites, after-before, want)
			}
		}
	})
}

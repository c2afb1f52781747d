package tables

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cgoheap/cgoheap/stack"
)

func TestStacksOfOneBlockEach(t *testing.T) {
	const interval, stacks, recordings = 512 << 10, 1024, 200
	for _, size := range []uint64{250_000, 560_000, 600_000} { // whose blocks stand for 2.64, 1.53 and 1.47 blocks
		t.Run(fmt.Sprintf("objects of %d bytes are unbiased", size), func(t *testing.T) {
			p := -math.Expm1(-(float64(size) + 1) / interval) // that a block is sampled
			var total stack.Values
			for seed := range uint64(recordings) {
				random, r := rand.New(rand.NewPCG(seed, size)), Reader{Options: Options{Seed: seed}}
				for site := range uint32(stacks) {
					if random.Float64() > p {
						continue
					}
					w := Weight{Objects: Amount{Low: uint64(math.Round(65536 / p))}}
					total.Add(flow{w, w}.values(size, r.rounding(100+16*site)))
				}
			}
			limit := 4 * math.Sqrt(stacks*recordings*((1-p)/p+1.0/4)) // standard deviations; 1/4 is the most that rounding adds
			if off := float64(total.InuseObjects) - stacks*recordings; math.Abs(off) > limit {
				t.Errorf("%d objects of %d, %.1f standard deviations off", total.InuseObjects, stacks*recordings, 4*off/limit)
			}
			if off := float64(total.InuseBytes)/float64(size) - stacks*recordings; math.Abs(off) > limit {
				t.Errorf("%d bytes of %d", total.InuseBytes, stacks*recordings*size)
			}
		})
	}
}

func TestRoundingIsFixedBySite(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 100_000 {
		r := rounding{random.Uint64N(1 << 16), random.Uint64N(1 << 16)}
		size := random.Uint64N(1 << 24)
		before := Weight{Objects: Amount{Low: random.Uint64N(1 << 40)}}
		more := Amount{Low: random.Uint64N(1 << 20)}
		after := Weight{Objects: before.Objects.Plus(more)}
		objects, bytes := r.numbers(before, size)
		moreObjects, moreBytes := r.numbers(after, size)
		if delta := moreObjects - objects; uint64(delta) != more.Low>>16 && uint64(delta) != more.Low>>16+1 {
			t.Fatalf("%d units more are %d objects more", more.Low, delta)
		}
		if delta := moreBytes - bytes; uint64(delta) != more.Low*size>>16 && uint64(delta) != more.Low*size>>16+1 {
			t.Fatalf("%d units of %d bytes more are %d bytes more", more.Low, size, delta)
		}
	}
}

func TestThresholdsOfSites(t *testing.T) {
	t.Run("a site's is the same in each profile of a recording, and another in another recording", func(t *testing.T) {
		r := Reader{Options: Options{Seed: 1}}
		if r.rounding(7) != (&Reader{Options: Options{Seed: 1}}).rounding(7) || r.rounding(7) == (&Reader{Options: Options{Seed: 2}}).rounding(7) {
			t.Error("it is not")
		}
	})

	t.Run("every whole number of a delta is as frequent as its fraction says", func(t *testing.T) {
		const sites = 1 << 16
		r := Reader{Options: Options{Seed: 3}}
		for _, units := range []uint64{1 << 10, 1 << 15, 3 << 14, 100_000, 1<<20 + 5} {
			var before, after float64
			for site := range uint32(sites) {
				u := r.rounding(16 * site)
				start := Amount{Low: 12_345_678}
				before += float64(start.Rounded(16, u.objects))
				after += float64(start.Plus(Amount{Low: units}).Rounded(16, u.objects))
			}
			want := float64(units) // in all, as there are 2^16 sites
			if off := after - before - want; math.Abs(off) > 4*math.Sqrt(sites)/2 {
				t.Errorf("a delta of %d/65536 at each of %d sites adds up to %.0f, want %.0f", units, sites, after-before, want)
			}
		}
	})
}

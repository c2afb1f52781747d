package stack

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The interval of an estimate must hold the truth in 93 to 97 % of 1,000 recordings, also where sizes are mixed.
func TestSpreadIsThatOfSampling(t *testing.T) {
	const interval, runs = 512 << 10, 1000
	for name, c := range map[string]struct {
		blocks int
		sizes  []float64
	}{
		"small blocks":                      {50_000, []float64{1000}},
		"blocks as large as the interval":   {150, []float64{512 << 10}},
		"small blocks of many sizes":        {20_000, []float64{100, 1000, 3000, 9000}},
		"blocks of sizes near the interval": {400, []float64{64 << 10, 200 << 10, 600 << 10}},
	} {
		t.Run(name, func(t *testing.T) {
			inside := 0
			for run := range uint64(runs) {
				r := rand.New(rand.NewPCG(run, 4))
				var objects, bytes, truth float64
				s := Sample{BlockSize: MixedSizes}
				if len(c.sizes) == 1 {
					s.BlockSize = int64(c.sizes[0])
				}
				for i := range c.blocks {
					size := c.sizes[i%len(c.sizes)]
					truth += size
					if p := -math.Expm1(-(size + 1) / interval); r.Float64() < p {
						objects, bytes = objects+1/p, bytes+size/p
					}
				}
				s.Values = Values{InuseObjects: int64(objects), InuseBytes: int64(bytes), AllocObjects: int64(objects), AllocBytes: int64(bytes)}
				v := s.Spread(interval)
				if v.AllocBytes != v.InuseBytes || v.AllocObjects != v.InuseObjects {
					t.Fatalf("%+v", v)
				}
				if math.Abs(bytes-truth) <= Half(v.InuseBytes) {
					inside++
				}
			}
			if t.Logf("%d of %d inside", inside, runs); inside < runs*93/100 || inside > runs*97/100 {
				t.Errorf("%d of %d inside", inside, runs)
			}
		})
	}
}

func TestWhatIsRecordedWholeHasNoSpread(t *testing.T) {
	s := Sample{BlockSize: 10, Values: Values{1, 10, 1, 10}}
	if got := s.Spread(1); got != (Spread{}) {
		t.Errorf("%+v", got)
	}
	if got := (&Sample{BlockSize: MixedSizes}).Spread(100); got != (Spread{}) {
		t.Errorf("nothing has the variance %+v", got)
	}
	if got := (Spread{4, 3, 2, 1}).Less(Spread{1, 1, 1, 2}); got != (Spread{3, 2, 1, 0}) {
		t.Errorf("%+v", got)
	}
}

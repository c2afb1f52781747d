package suspects

import (
	"math"
	"math/rand/v2"
	"testing"
)

const mib = 1 << 20

// In each scenario the intervals must hold the truth, the slope with every block recorded, in 93 to 97 % of 1,000 runs.
func TestIntervalsCoverTheTruth(t *testing.T) {
	for _, c := range []struct {
		name    string
		minutes float64
		program program
	}{
		{"a steady leak", 12, leaking(1*mib, 4096)},
		{"a slow leak for an hour", 60, leaking(mib/2, 4096)},
		{"a leak and churn", 12, together(leaking(1*mib, 4096), churning(10*mib, 4096, 1))},
		{"a step", 12, together(stepping(20*mib, 4096), churning(10*mib, 4096, 1))},
		{"a cache that breathes", 12, breathing(10*mib, 4096, 16*mib, 4)},
		{"blocks as large as the interval", 12, together(leaking(4*mib, 600<<10), churning(10*mib, 300<<10, 2))},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.minutes == 12 {
				t.Skip("long: make test-all runs it")
			}
			t.Parallel()
			const runs = 1000
			inside, sumOff, sumTruth, low := 0, 0.0, 0.0, 0
			for run := range uint64(runs) {
				r := rand.New(rand.NewPCG(run, 1))
				all := c.program(r, c.minutes)
				h := watch(sampled(r, all), 0, c.minutes, nil)
				want := truth(h, all, 0)
				got := Trend{}
				if list := h.Trends(simTick); len(list) == 1 {
					got = list[0]
				}
				if math.Abs(got.Growth-want) <= got.GrowthError {
					inside++
				} else if got.Growth < want {
					low++
				}
				sumOff += got.Growth - want
				sumTruth += want
			}
			t.Logf("%.1f %% inside, %.1f %% of runs below; off by %.2g of %.3g on average", 100*float64(inside)/runs, 100*float64(low)/runs, sumOff/runs, sumTruth/runs)
			if inside < runs*93/100 || inside > runs*97/100 {
				t.Errorf("%d of %d inside", inside, runs)
			}
		})
	}
}

//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package dump

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

const mib = 1 << 20

// growthDumps returns the minutes at which native memory, as a function of the minute, makes dumps: with a mark of 10 MiB per
// minute for 10 minutes, for so many minutes.
func growthDumps(t *testing.T, until float64, bytes func(minute float64) float64) (dumps []int) {
	t.Helper()
	var minute float64
	l, err := HighWater{Rate: 10 * mib}.levels(func() int64 { return int64(bytes(minute)) })
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for ; minute < until; minute += 1.0 / 60 {
		if visit(l, start.Add(time.Duration(minute*float64(time.Minute)))) {
			dumps = append(dumps, int(math.Round(minute)))
		}
	}
	return dumps
}

// jump is bytes from a minute on.
func jump(minute, at, bytes float64) float64 {
	if minute < at {
		return 0
	}
	return bytes
}

func TestGrowthThatLasts(t *testing.T) {
	for about, c := range map[string]struct {
		until float64
		bytes func(minute float64) float64
		want  []int
	}{
		"a steady leak is reached when it has lasted, once": {30, func(m float64) float64 { return 1000*mib + 11*mib*m }, []int{10}},
		"and again whenever there is a quarter more":        {60, func(m float64) float64 { return 1000*mib + 11*mib*m }, []int{10, 35}}, // 1110 MiB, then 1387.5
		"but not before the pause is over":                  {35, func(m float64) float64 { return 100 * mib * m }, []int{10, 20, 30}},
		"a slow leak is not":                                {120, func(m float64) float64 { return 1000*mib + 9*mib*m }, nil},
		"a jump when the program starts is not":             {60, func(m float64) float64 { return min(m, 3) * 1000 * mib }, nil},
		"a jump later is not":                               {60, func(m float64) float64 { return jump(m, 25, 4000*mib) }, nil},
		"nor two in one window":                             {60, func(m float64) float64 { return jump(m, 25, 4000*mib) + jump(m, 29.2, 4000*mib) }, nil},
		"a jump during a slow leak is not":                  {60, func(m float64) float64 { return 4*mib*m + jump(m, 25, 4000*mib) }, nil},
		"a sawtooth of a minute is not":                     {120, func(m float64) float64 { return 1000 * mib * math.Mod(m, 1) }, nil},
		"a sawtooth of seven minutes is not":                {120, func(m float64) float64 { return 1000 * mib * math.Mod(m, 7) }, nil},
		"a sawtooth of nearly the window is not":            {120, func(m float64) float64 { return 1000 * mib * math.Mod(m, 9.5) }, nil},
		"a leak below a sawtooth of a minute is":            {30, func(m float64) float64 { return 11*mib*m + 20*mib*math.Mod(m, 1) + 1000*mib }, []int{10}},
		"a fall is not":                                     {60, func(m float64) float64 { return 8000*mib - 100*mib*m }, nil},
		"a leak that ends and begins anew is reached twice": {70, func(m float64) float64 {
			return 5000*mib + 11*mib*(min(m, 15)+max(0, m-50)) // never a quarter more; a little over the mark needs eight minutes of a window
		}, []int{10, 58}},
	} {
		t.Run(about, func(t *testing.T) {
			if got := growthDumps(t, c.until, c.bytes); !slices.Equal(got, c.want) {
				t.Errorf("dumps at the minutes %v, want %v", got, c.want)
			}
		})
	}
}

// What is read is an estimate from blocks sampled every 512 KiB. A leak of twice the mark is reached soon after the window is full,
// beside work in progress whose estimate wanders; half the mark is not, in a day.
func TestGrowthOfSampledMemory(t *testing.T) {
	service := func(leak float64, seed uint64) func(float64) float64 {
		r := rand.New(rand.NewPCG(seed, 11))
		var lost, before float64
		return func(minute float64) float64 {
			for at := before + r.ExpFloat64()*0.5/leak; at < minute; at += r.ExpFloat64() * 0.5 / leak {
				lost += mib / 2
			}
			before = minute
			return lost + 500*mib + 16*mib*r.NormFloat64() // a thousand samples of short lives
		}
	}
	for seed := range uint64(20) {
		if dumps := growthDumps(t, 20, service(20, seed)); len(dumps) == 0 || dumps[0] > 15 {
			t.Errorf("seed %d: a leak of twice the mark: %v", seed, dumps)
		}
		if dumps := growthDumps(t, 24*60, service(5, seed)); len(dumps) != 0 {
			t.Errorf("seed %d: a leak of half the mark: %v", seed, dumps)
		}
	}
}

func TestGrowthIsTheSlopeOfAStraightLine(t *testing.T) {
	start, is := time.Now(), 0.0
	r := &rate{mark: 1, window: time.Hour, read: func() int64 { return int64(is) }}
	for s := range 3700 {
		is = 5e9 + 12345*float64(s)
		if _, _, known := r.growth(); known && s < 3600 {
			t.Fatalf("growth after %d s", s)
		}
		r.look(start.Add(time.Duration(s) * time.Second))
	}
	slope, least, known := r.growth()
	if want := 12345.0 * 60; !known || math.Abs(slope/want-1) > 1e-9 || math.Abs(least/want-1) > 1e-9 {
		t.Errorf("%v, %v, %t, want %v", slope, least, known, want)
	}

	t.Run("which is unknown where half of a part is missing", func(t *testing.T) {
		now := start.Add(3700 * time.Second)
		for s := range 3000 {
			if s > 1000 && s < 1500 {
				continue
			}
			r.look(now.Add(time.Duration(s) * time.Second))
		}
		if _, _, known := r.growth(); known {
			t.Error("it is known")
		}
	})

	t.Run("or after a long time without readings", func(t *testing.T) {
		r.look(start.Add(1000 * time.Hour))
		if _, _, known := r.growth(); known {
			t.Error("it is known")
		}
	})
}

func TestDumpOfGrowthSaysWhy(t *testing.T) {
	var is float64
	var reached string
	l, err := HighWater{Rate: 1 * mib, RateWindow: time.Minute, RSS: 1 << 60}.levels(func() int64 { return int64(is) })
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for s := 0; reached == ""; s++ {
		is = 100*mib + 2*mib/60*float64(s)
		if reached = l.reached(start.Add(time.Duration(s) * time.Second)); s > 100 {
			t.Fatal("it is not reached")
		}
	}
	if reached != "growth of native memory in use: 2 MiB/min for 1 min, to 102 MiB" {
		t.Errorf("%q", reached)
	}
}

func TestRatesThatMakeNoSense(t *testing.T) {
	for want, h := range map[string]HighWater{
		"HighWater.Rate is -1; it may not be negative":                          {Rate: -1},
		"HighWater.RateWindow is 5m0s, but no rate is set":                      {RateWindow: 5 * time.Minute, RSS: 1},
		"HighWater.RateWindow is 59s; it must be 0 or from 1m0s to 24h0m0s":     {Rate: 1, RateWindow: 59 * time.Second},
		"HighWater.RateWindow is 24h0m1s; it must be 0 or from 1m0s to 24h0m0s": {Rate: 1, RateWindow: 24*time.Hour + time.Second},
		"HighWater.RateWindow is -1s; it must be 0 or from 1m0s to 24h0m0s":     {Rate: 1, RateWindow: -time.Second},
	} {
		if _, err := h.levels(func() int64 { return 0 }); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if l, err := (HighWater{}).levels(nil); l != nil || err != nil {
		t.Errorf("nothing is watched: %v, %v", l, err)
	}
}

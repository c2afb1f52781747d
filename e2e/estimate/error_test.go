package estimate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The slow road: throw the dice for each block.
func TestTheStandardErrorIsThatOfDice(t *testing.T) {
	const sampleBytes, runs = 1000, 2000
	blocks := []Blocks{{500, 8}, {20, 300}, {2, 9000}}
	dice := rand.New(rand.NewPCG(1, 2))
	var bytes, objects []float64
	for range runs {
		sumBytes, sumObjects := 0.0, 0.0
		for _, b := range blocks {
			p := b.Sampled(sampleBytes)
			for range b.Count {
				if dice.Float64() < p {
					sumBytes += float64(b.Size) / p
					sumObjects += 1 / p
				}
			}
		}
		bytes, objects = append(bytes, sumBytes), append(objects, sumObjects)
	}
	Unbiased(t, "bytes", bytes, Bytes(blocks), BytesError(blocks, sampleBytes))
	Unbiased(t, "objects", objects, Objects(blocks), ObjectsError(blocks, sampleBytes))
}

// Unbiased fails unless the estimates scatter around the truth as their standard error predicts: one in 20 beyond 2 errors,
// none beyond 9, their own deviation within a third of the error, and the mean within 5.5 standard errors of a mean.
func Unbiased(t *testing.T, what string, estimates []float64, truth, standardError float64) {
	t.Helper()
	outside := 0
	for _, x := range estimates {
		errors := math.Abs(x-truth) / standardError
		if errors > 9 {
			t.Errorf("%s: an estimate of %.0f is %.1f standard errors (%.0f) from %.0f", what, x, errors, standardError, truth)
		}
		if errors > 2 {
			outside++
		}
	}
	if share := float64(outside) / float64(len(estimates)); share > 0.15 {
		t.Errorf("%s: %.0f %% of the estimates are outside of 2 standard errors", what, 100*share)
	}
	mean, deviation := Spread(estimates)
	if ratio := deviation / standardError; ratio < 0.66 || ratio > 1.3 {
		t.Errorf("%s: the estimates deviate by %.0f, which should be %.0f", what, deviation, standardError)
	}
	if bias := math.Abs(mean-truth) / standardError * math.Sqrt(float64(len(estimates))); bias > 5.5 {
		t.Errorf("%s: the mean of %d runs is %.0f, %.1f standard errors of a mean from %.0f", what, len(estimates), mean, bias, truth)
	}
}

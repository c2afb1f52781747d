package main

import (
	"math"
	"slices"
)

// measured sums up one figure over the rounds of a contender.
type measured struct {
	median, least, spread float64
	rounds                []float64 // in their order
}

func (c *contender) measured(of func(figures) float64) measured {
	return summary(values(c.figures, of))
}

// summary has half of the distance between the quartiles, over the median, as the spread.
func summary(rounds []float64) measured {
	sorted := slices.Sorted(slices.Values(rounds))
	at := func(share float64) float64 { return sorted[int(math.Round(share*float64(len(sorted)-1)))] }
	return measured{
		median: at(0.5),
		least:  sorted[0],
		spread: (at(0.75) - at(0.25)) / 2 / math.Abs(at(0.5)),
		rounds: rounds,
	}
}

// quartile returns the value that three quarters of the segments exceed, because they were disturbed. The least segment may
// also have been lucky in its samples.
func quartile(segments []figures, of func(figures) float64) float64 {
	times := values(segments, of)
	slices.Sort(times)
	return times[len(times)/4]
}

// minus is the cost of a over b, and to the ratio of a to b, both round by round: what disturbs a round disturbs both.
func (a measured) minus(b measured) measured {
	return a.with(b, func(x, y float64) float64 { return x - y })
}

func (a measured) to(b measured) measured {
	return a.with(b, func(x, y float64) float64 { return x / y })
}

// with combines the rounds that both have.
func (a measured) with(b measured, combine func(x, y float64) float64) measured {
	var rounds []float64
	for i := range min(len(a.rounds), len(b.rounds)) {
		rounds = append(rounds, combine(a.rounds[i], b.rounds[i]))
	}
	m := summary(rounds)
	m.least = combine(a.least, b.least)
	return m
}

// over is the share of each of n things.
func (a measured) over(n float64) measured {
	return summary(values(a.rounds, func(x float64) float64 { return x / n }))
}

func values[T any](all []T, of func(T) float64) (list []float64) {
	for _, one := range all {
		list = append(list, of(one))
	}
	return list
}

package main

import (
	"math"
	"slices"
)

// measured is what the rounds of a contender say of one figure.
type measured struct{ median, least, spread float64 }

func (c *contender) measured(of func(figures) float64) measured {
	return summary(values(c.figures, of))
}

// summary has half of the distance between the quartiles, over the median, as the spread.
func summary(values []float64) measured {
	slices.Sort(values)
	at := func(share float64) float64 { return values[int(math.Round(share*float64(len(values)-1)))] }
	return measured{median: at(0.5), least: values[0], spread: (at(0.75) - at(0.25)) / 2 / at(0.5)}
}

// quartile is what three quarters of the segments exceed: those were disturbed. The least one would have been lucky in
// its samples as well.
func quartile(segments []figures, of func(figures) float64) float64 {
	times := values(segments, of)
	slices.Sort(times)
	return times[len(times)/4]
}

// minus is the cost of a over b.
func (a measured) minus(b measured) measured {
	spread := math.Hypot(a.spread*a.median, b.spread*b.median)
	cost := measured{median: a.median - b.median, least: a.least - b.least}
	cost.spread = spread / math.Abs(cost.median)
	return cost
}

// over is what each of n things takes of it.
func (a measured) over(n float64) measured {
	return measured{median: a.median / n, least: a.least / n, spread: a.spread}
}

func values[T any](all []T, of func(T) float64) (list []float64) {
	for _, one := range all {
		list = append(list, of(one))
	}
	return list
}

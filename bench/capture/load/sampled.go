package main

import (
	"fmt"
	"math"
)

// surelySampled is an expected number of samples of which at least half come: fewer are as unlikely as five standard deviations.
const surelySampled = 100

// tooFew returns an error if blocks of this mean size should have made many more samples: a recording that does not record
// costs nothing, and must not be measured.
func tooFew(samples uint64, sample int64, blocks int, size float64) error {
	expected := float64(blocks) * -math.Expm1(-size/float64(sample))
	if expected < surelySampled || float64(samples) >= expected/2 {
		return nil
	}
	return fmt.Errorf("%d blocks were sampled, where about %.0f should have been", samples, expected)
}

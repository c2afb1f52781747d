//go:build linux && cgo

package main

// #include "storm.h"
import "C"

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/cgoheap/cgoheap"
)

// Mean gaps that a recording goes over to while it runs, the largest last.
var gaps = []int64{1, 512, 4 << 10, 16 << 10}

// sampled records a storm at one mean gap after another. Estimates must be as near to the truth as chance has them.
func (s *storm) sampled(length time.Duration) error {
	now := s.read()
	w := window{starting: now, started: now}
	p, err := s.start(cgoheap.Config{SampleBytes: gaps[len(gaps)-1]})
	if err != nil {
		return err
	}
	workers := s.begin()
	for over := time.Now().Add(length); time.Now().Before(over); pause() {
		if err := p.SetSampleBytes(gaps[rand.IntN(len(gaps))]); err != nil {
			s.judge.fault("SetSampleBytes: %v", err)
		}
	}
	workers.end()
	w.before = s.read()
	w.after = w.before
	if taken := s.take(p); taken != nil {
		sums := s.judge.sums(taken, false)
		for i, site := range s.judge.sites {
			_, truth := w.bounds(i)
			s.near(site, sums[site], truth)
		}
	}
	s.stop(p)
	return nil
}

// near wants a site's estimates of what was allocated within 6 standard errors, and something for samples being few: as if
// all had been drawn at the largest gap, where errors are largest. What is in use is never more than that.
func (s *storm) near(site *site, got, truth amounts) {
	gap := float64(gaps[len(gaps)-1])
	size := float64(site.sizes[0]) // the smallest
	weight := 1 / (1 - math.Exp(-(size+1)/gap))
	slack := 6*math.Sqrt(float64(truth[0])*weight) + 10*weight
	largest := float64(site.sizes[len(site.sizes)-1])
	least := amounts{truth[0] - int64(slack), truth[1] - int64(slack*largest), 0, 0}
	most := amounts{truth[0] + int64(slack), truth[1] + int64(slack*largest), got[0], got[1]}
	s.judge.within(site, got, least, most)
}

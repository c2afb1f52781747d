package main

// #include "storm.h"
import "C"

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/e2e/truth"
)

// Mean intervals that a recording changes to while it runs, the largest last.
var intervals = []int64{1, 512, 4 << 10, 16 << 10}

// sampled records a storm at one mean interval after another. Estimates must be as near to the truth as chance predicts.
func (s *storm) sampled(length time.Duration) error {
	now := s.read()
	w := window{starting: now, started: now}
	p, err := s.start(cgoheap.Config{SampleBytes: intervals[len(intervals)-1]})
	if err != nil {
		return err
	}
	workers := s.begin()
	for over := time.Now().Add(length); time.Now().Before(over); pause() {
		if err := p.SetSampleBytes(intervals[rand.IntN(len(intervals))]); err != nil {
			s.judge.fault("SetSampleBytes: %v", err)
		}
	}
	workers.end()
	w.before = s.read()
	w.after = w.before
	if taken := s.take(p); taken != nil {
		sums := s.judge.sums(taken, false)
		for i, site := range s.judge.sites {
			_, most := w.bounds(i)
			s.near(site, sums[site], most)
		}
	}
	s.stop(p)
	return nil
}

// near checks that a site's estimates of what was allocated are within 6 standard errors and a margin for few samples, as if
// all samples had been drawn at the largest interval, where errors are largest. The memory in use is never more than that.
func (s *storm) near(site *site, got, done truth.Values) {
	interval := float64(intervals[len(intervals)-1])
	size := float64(site.sizes[0]) // the smallest
	weight := 1 / (1 - math.Exp(-(size+1)/interval))
	slack := 6*math.Sqrt(float64(done[0])*weight) + 10*weight
	largest := float64(site.sizes[len(site.sizes)-1])
	least := truth.Values{done[0] - int64(slack), done[1] - int64(slack*largest), 0, 0}
	most := truth.Values{done[0] + int64(slack), done[1] + int64(slack*largest), got[0], got[1]}
	s.judge.within(site, got, least, most)
}

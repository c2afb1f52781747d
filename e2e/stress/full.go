package main

// #include "storm.h"
import "C"

import (
	"time"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/e2e/truth"
)

// fullness has the numbers of blocks in recordings whose tables are full.
type fullness struct {
	expected, recorded int64  // allocated at sites and in the crowd
	lost, lostLive     uint64 // in the whole process, as the profiler counts
}

// smallest is the smallest bound on tables that a recording may have.
const smallest = 8 << 20

// whenFull records a storm in tables that are soon full. Recorded blocks must be right, the others must be counted, and
// together they must equal what was allocated.
func (s *storm) whenFull(length time.Duration) error {
	starting := s.read()
	crowded := C.stress_crowded()
	p, err := s.start(cgoheap.Config{SampleBytes: 1, TableBytes: smallest})
	if err != nil {
		return err
	}
	workers := s.begin(func(C.uint32_t) { C.stress_crowd() })
	time.Sleep(length)
	for over := time.Now().Add(10 * time.Minute); !isFull(p.Stats()) && time.Now().Before(over); {
		time.Sleep(length / 4)
	}
	if taken := s.take(p); taken != nil {
		s.judge.sums(taken, false)
	}
	workers.end()
	before := p.Stats()
	taken := s.take(p)
	if taken != nil {
		w := window{starting: starting, started: starting, before: s.read(), after: s.read()}
		s.account(taken, w, int64(C.stress_crowded()-crowded), before, p.Stats())
	}
	return end(p)
}

// account compares a profile, taken between two readings of the counters, with the truth and the losses.
func (s *storm) account(p *profile.Profile, w window, crowd int64, before, after cgoheap.Stats) {
	sums := s.judge.sums(p, false)
	expected, recorded, unseen := crowd, ofCrowd(p), int64(0)
	for i, site := range s.judge.sites {
		_, most := w.bounds(i)
		s.judge.within(site, sums[site], truth.Values{}, most)
		expected += most[0]
		recorded += sums[site][0]
		unseen += most[2] - sums[site][2]
	}
	lost, live := lostBlocks(after), after.Value("lost_live_table_full")
	s.full.expected += expected
	s.full.recorded += recorded
	s.full.lost += lost
	s.full.lostLive += live
	if recorded > expected || uint64(expected-recorded) > lost {
		s.judge.fault("tables full: %d blocks of %d are recorded, and %d are lost", recorded, expected, lost)
	}
	if unseen < 0 || uint64(unseen) > lost+live {
		s.judge.fault("tables full: %d blocks in use are missing, and %d are lost", unseen, lost+live)
	}
	if !isFull(after) {
		s.judge.fault("the tables were not full")
	}
	if n := after.Value("table_bytes"); n > smallest {
		s.judge.fault("tables of at most %d bytes have %d", smallest, n)
	}
	s.balance(p, before, after)
}

// balance checks that every sampled block of the process is in the profile or lost. Uncounted threads, of the runtime and of
// libc, may allocate between the readings.
func (s *storm) balance(p *profile.Profile, before, after cgoheap.Stats) {
	var recorded uint64
	for _, sample := range p.Sample {
		recorded += uint64(sample.Value[0])
	}
	least, most := before.Value("samples")-lostBlocks(after), after.Value("samples")-lostBlocks(before)
	if recorded < least || recorded > most {
		s.judge.fault("tables full: %d blocks are recorded, of which there were %d to %d", recorded, least, most)
	}
}

func isFull(stats cgoheap.Stats) bool {
	return lostBlocks(stats) > 0 && stats.Value("lost_live_table_full") > 0
}

func lostBlocks(stats cgoheap.Stats) uint64 {
	return stats.Value("lost_stack_table_full") + stats.Value("lost_site_table_full")
}

// ofCrowd returns how many blocks the crowd allocated, according to the profile.
func ofCrowd(p *profile.Profile) (blocks int64) { return of(p, "stress_crowding")[truth.AllocObjects] }

// of returns a profile's sums for the stacks in which a function is our innermost.
func of(p *profile.Profile, function string) truth.Values {
	return truth.Sums(p, func(sample *profile.Sample) (struct{}, bool) {
		own := ours(sample)
		return struct{}{}, len(own) > 0 && own[0] == function
	})[struct{}{}]
}

//go:build linux && cgo

package main

// #include "storm.h"
import "C"

import (
	"time"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
)

// fullness is what is said of recordings whose tables are full: numbers of blocks.
type fullness struct {
	expected, recorded int64  // allocated at sites and in the crowd
	lost, lostLive     uint64 // in the whole process, as the profiler counts
}

// smallest is the bound on tables that a recording may have at least.
const smallest = 8 << 20

// whenFull records a storm in tables that are soon full. What is recorded must be right, what is not must be counted, and
// together they must be what was allocated.
func (s *storm) whenFull(length time.Duration) error {
	starting := s.read()
	crowded := C.stress_crowded()
	p, err := s.start(cgoheap.Config{SampleBytes: 1, TableBytes: smallest})
	if err != nil {
		return err
	}
	workers := s.begin(func(C.uint32_t) { C.stress_crowd() })
	time.Sleep(length)
	for over := time.Now().Add(5 * time.Minute); !isFull(p.Stats()) && time.Now().Before(over); {
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

// account holds a profile, taken between two readings of the counters, against the truth and the losses.
func (s *storm) account(p *profile.Profile, w window, crowd int64, before, after cgoheap.Stats) {
	sums := s.judge.sums(p, false)
	expected, recorded, unseen := crowd, ofCrowd(p), int64(0)
	for i, site := range s.judge.sites {
		_, most := w.bounds(i)
		s.judge.within(site, sums[site], amounts{}, most)
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

// balance wants every sampled block of the process to be in the profile or lost. Threads that nobody has counted, of the
// runtime and of libc, may allocate between the readings.
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

// ofCrowd is how many blocks the profile says that the crowd allocated.
func ofCrowd(p *profile.Profile) (blocks int64) {
	for _, sample := range p.Sample {
		if own := ours(sample); len(own) > 0 && own[0] == "stress_crowding" {
			blocks += sample.Value[0]
		}
	}
	return blocks
}

package main

// #include "storm.h"
import "C"

import (
	"math/rand/v2"
	"time"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
)

// A storm is all that runs.
type storm struct {
	entrances  []*entrance
	judge      *judge
	losses     losses // of recordings that had room
	full       fullness
	recordings int
	onlyPages  bool // only the workers beside pages that come and go
}

func (s *storm) libraries() C.uint32_t { return C.uint32_t(len(s.entrances) * C.STRESS_WAYS) }

func (s *storm) read() []done { return readAll(len(s.judge.sites)) }

// start begins a recording.
func (s *storm) start(c cgoheap.Config) (*cgoheap.Profiler, error) {
	s.recordings++
	C.stress_begin(C.uint32_t(s.recordings))
	c.ThreadNames = s.recordings%3 == 0
	return cgoheap.Start(c)
}

// everything is recorded, and there is room for it.
var everything = cgoheap.Config{SampleBytes: 1}

// stop ends a recording and adds up its losses.
func (s *storm) stop(p *cgoheap.Profiler) {
	if err := end(p); err != nil {
		s.judge.fault("Stop: %v", err)
	}
	s.losses.add(p.Stats())
}

// end calls Stop, repeatedly if needed: a busy machine may keep a thread from running for a second.
func end(p *cgoheap.Profiler) (err error) {
	for range 10 {
		if err = p.Stop(); err == nil {
			return nil
		}
	}
	return err
}

// take takes a profile; nil if there is something wrong with it.
func (s *storm) take(p *cgoheap.Profiler) *profile.Profile {
	taken, err := s.judge.take(p)
	if err != nil {
		s.judge.fault("a profile is not valid: %v", err)
		return nil
	}
	return taken
}

// dump takes a profile between two readings of the truth, and compares it with them.
func (s *storm) dump(p *cgoheap.Profiler, w window, exact bool) {
	w.before = s.read()
	unsettled := p.Stats().Value("snapshots_unsettled")
	taken := s.take(p)
	w.after = s.read()
	w.old = p.Stats().Value("snapshots_unsettled") != unsettled
	if taken != nil {
		s.judge.hold(taken, w, exact)
	}
}

// round records a storm from before its beginning to after its end.
func (s *storm) round(length time.Duration) error {
	now := s.read()
	w := window{starting: now, started: now}
	p, err := s.start(everything)
	if err != nil {
		return err
	}
	workers := s.begin()
	for over := time.Now().Add(length); time.Now().Before(over); {
		pause()
		s.dump(p, w, false)
	}
	workers.end()
	s.dump(p, w, true)
	s.stop(p)
	return nil
}

// underWay starts and stops recordings amid one storm, and takes profiles of some.
func (s *storm) underWay(length time.Duration) error {
	workers := s.begin()
	defer workers.end()
	for over := time.Now().Add(length); time.Now().Before(over); {
		w := window{starting: s.read(), underWay: true}
		p, err := s.start(everything)
		if err != nil {
			return err
		}
		w.started = s.read()
		for range rand.IntN(3) {
			pause()
			s.dump(p, w, false)
		}
		s.stop(p)
	}
	return nil
}

func pause() { time.Sleep(rand.N(40 * time.Millisecond)) }

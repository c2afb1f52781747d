package main

// #include "storm.h"
import "C"

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/cgoheap/cgoheap"
)

// runRecordings starts and stops recordings while threads and goroutines allocate. After each tenth it checks what the
// process holds. In every 64th recording, profiles are written one after the other.
func runRecordings(to io.Writer, count int) error {
	s := storm{entrances: entrances()}
	s.judge = newJudge(sites(s.entrances))
	defer giveUp(time.Duration(count)*10*time.Second + 10*time.Minute).Stop()
	load := slices.DeleteFunc(slices.Clone(s.entrances), func(e *entrance) bool {
		return e.name != "goroutine" && e.name != "thread" && e.name != "around a callback"
	})
	workers := allocate(load)
	defer workers.end()
	var before usage
	for n := range count {
		if err := s.recordUnderLoad(n); err != nil {
			return err
		}
		if (n+1)%max(1, count/10) != 0 {
			continue
		}
		now, err := used()
		if err != nil {
			return err
		}
		fmt.Fprintf(to, "%6d recordings: %v\n", n+1, now)
		if before == (usage{}) {
			before = now
		}
		if err := before.grown(now); err != nil {
			return err
		}
	}
	if s.judge.faults > 0 || event(C.FAILURES) > 0 {
		return fmt.Errorf("%d wrong", s.judge.faults)
	}
	return nil
}

// recordUnderLoad starts and stops one recording, of tables and intervals that differ from the one before.
func (s *storm) recordUnderLoad(n int) error {
	w := window{starting: s.read(), underWay: true}
	exact := n%2 == 0
	c := cgoheap.Config{TableBytes: int64(64+n%3) << 20}
	if exact {
		c.SampleBytes = 1
	}
	p, err := s.start(c)
	if err != nil {
		return err
	}
	w.started = s.read()
	if n%64 == 0 {
		for range 4 {
			s.dump(p, w, false)
		}
	}
	return end(p)
}

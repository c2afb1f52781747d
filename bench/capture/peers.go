package main

import (
	"fmt"
	"os"
	"strings"
)

// profiledAllocator is an allocator with a sampling profiler of its own. jemalloc's is what ours has to halve.
type profiledAllocator struct {
	name, library string
	at            func(bytes int) string // the environment variable that samples at this interval
	mark          mark
}

var profiledAllocators = []profiledAllocator{
	{"jemalloc", "libjemalloc.so.2", jemallocAt, mark{most: 0.5}},
	{"gperftools", "libtcmalloc.so.4", gperftoolsAt, mark{}},
}

// jemallocAt also has what a service needs to ask for a profile later; nothing is written.
func jemallocAt(bytes int) string {
	power := 0
	for bytes > 1<<power {
		power++
	}
	return fmt.Sprint("MALLOC_CONF=prof:true,lg_prof_sample:", power)
}

func gperftoolsAt(bytes int) string { return fmt.Sprint("TCMALLOC_SAMPLE_PARAMETER=", bytes) }

// peers compares what our sampling adds to a pair on glibc with what theirs adds on their own allocator.
func peers(s setup) error {
	for _, a := range profiledAllocators {
		if err := s.peer(a); err != nil {
			fmt.Fprintf(os.Stderr, "capture: %s is left out: %v\n", a.name, err)
		}
	}
	return nil
}

func (s setup) peer(a profiledAllocator) error {
	alone, err := loadC(false)
	if err != nil {
		return err
	}
	preload := "LD_PRELOAD=" + a.library
	if err := (&contender{name: a.name, command: []string{alone, "-pairs=1"}, env: []string{preload, a.at(1)}}).silent(); err != nil {
		return err
	}
	s.table.head("What sampling adds: to glibc, and in "+a.name+" to "+a.name, "ns per pair", "cgoheap", a.name)
	for _, bytes := range []int{512 << 10, 64 << 10} {
		for threads := 1; threads <= 2; threads++ {
			if err := s.peerAt(a, bytes, shape{threads: threads}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s setup) peerAt(a profiledAllocator, bytes int, as shape) error {
	with, alone, err := as.programs()
	if err != nil {
		return err
	}
	without, err := loadGo("without")
	if err != nil {
		return err
	}
	flags := as.flags(pairsPerTurn)
	start := func(program string, more ...string) *contender {
		return &contender{name: program, command: append(append([]string{program}, flags...), more...)}
	}
	plain, recorded := start(without), start(with, fmt.Sprint("-sample=", bytes))
	theirs, profiled := start(alone), start(alone)
	theirs.env = []string{"LD_PRELOAD=" + a.library}
	profiled.env = []string{"LD_PRELOAD=" + a.library, a.at(bytes)}
	if err := compete(s.rounds, plain, recorded, theirs, profiled); err != nil {
		return err
	}
	ours := recorded.measured(byCPU).minus(plain.measured(byCPU))
	cost := profiled.measured(byCPU).minus(theirs.measured(byCPU))
	about := fmt.Sprintf("every %d KiB, %v (pairs alone %.1f and %.1f)", bytes>>10, as,
		plain.measured(byCPU).median, theirs.measured(byCPU).median)
	s.table.print(line{about, ours, cost, a.mark})
	return nil
}

// silent runs once and wants no complaint: the loader says on standard error what it cannot preload, and jemalloc what it
// was built without.
func (c *contender) silent() error {
	_, complaint, err := c.output()
	if err == nil && len(complaint) > 0 {
		err = fmt.Errorf("it says %q", strings.TrimSpace(string(complaint)))
	}
	return err
}

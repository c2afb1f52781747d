package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// profiledAllocator is an allocator with a sampling profiler of its own. jemalloc's is what ours has to halve.
type profiledAllocator struct {
	name, library string
	at            func(bytes int) []string // the environment that samples at this interval; 1 records every allocation
	target        target
}

var profiledAllocators = []profiledAllocator{
	{"jemalloc", "libjemalloc.so.2", jemallocAt, target{most: 0.5}},
	{"gperftools", "libtcmalloc.so.4", gperftoolsAt, target{}},
}

// jemallocAt also enables what a service needs to ask for a profile later; nothing is written.
func jemallocAt(bytes int) []string {
	power := 0
	for bytes > 1<<power {
		power++
	}
	return []string{fmt.Sprint("MALLOC_CONF=prof:true,lg_prof_sample:", power)}
}

// gperftoolsAt uses the heap profiler for every allocation, which is not the profiler that samples. It writes its profile
// only at the end, to a path that does not exist.
func gperftoolsAt(bytes int) []string {
	if bytes > 1 {
		return []string{fmt.Sprint("TCMALLOC_SAMPLE_PARAMETER=", bytes)}
	}
	return []string{"HEAPPROFILE=/dev/null/none", "HEAP_PROFILE_ALLOCATION_INTERVAL=0", "HEAP_PROFILE_DEALLOCATION_INTERVAL=0",
		"HEAP_PROFILE_INUSE_INTERVAL=0", "HEAP_PROFILE_TIME_INTERVAL=0"}
}

// peers compares what our recording adds to a pair on glibc with what theirs adds on their own allocator.
func peers(s setup) error {
	for _, a := range profiledAllocators {
		if err := s.peer(a); errors.Is(err, errMissing) {
			fmt.Fprintf(os.Stderr, "capture: %s is left out: %v\n", a.name, err)
		} else if err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
	}
	return nil
}

// peerRow is an interval that is compared, and whether ours has a target there. If everything is recorded, a pair takes up
// to a hundred times as long, and its threads wait for each other.
type peerRow struct {
	about        string
	bytes, pairs int
	marked       bool
}

var peerRows = []peerRow{
	{"every 512 KiB", 512 << 10, pairsPerTurn, true},
	{"every 64 KiB", 64 << 10, pairsPerTurn, true},
	{"every allocation", 1, everyPairs / 5, false},
}

func (s setup) peer(a profiledAllocator) error {
	alone, err := loadC(false)
	if err != nil {
		return err
	}
	if err := a.preloaded(alone); err != nil {
		return err
	}
	s.table.head("What recording adds, ours to glibc and "+a.name+"'s to "+a.name, "in ns per pair; for two threads that record everything, by the wall clock",
		"cgoheap", a.name)
	for _, at := range peerRows {
		for threads := 1; threads <= 2; threads++ {
			if err := s.peerAt(a, at, shape{threads: threads}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s setup) peerAt(a profiledAllocator, at peerRow, as shape) error {
	with, alone, err := as.programs()
	if err != nil {
		return err
	}
	without, err := loadGo("without")
	if err != nil {
		return err
	}
	flags := as.flags(at.pairs)
	start := func(program string, more ...string) *contender {
		return &contender{name: program, command: append(append([]string{program}, flags...), more...)}
	}
	plain, recorded := start(without), start(with, fmt.Sprint("-sample=", at.bytes))
	theirs, profiled := start(alone), start(alone)
	theirs.env = []string{a.preload()}
	profiled.env = append(a.at(at.bytes), a.preload())
	if err := compete(s.rounds, plain, recorded, theirs, profiled); err != nil {
		return err
	}
	by, wanted := byCPU, target{}
	if at.marked {
		wanted = a.target
	} else if as.threads > 1 {
		by = byWall
	}
	about := fmt.Sprintf("%s, %v (pairs alone %.1f and %.1f)", at.about, as, plain.measured(by).median, theirs.measured(by).median)
	s.table.print(line{about, recorded.measured(by).minus(plain.measured(by)), profiled.measured(by).minus(theirs.measured(by)), wanted})
	return nil
}

func (a profiledAllocator) preload() string { return "LD_PRELOAD=" + a.library }

// errMissing reports that a peer is not installed, or was built without its profiler.
var errMissing = errors.New("not installed, or built without its profiler")

// absences are the messages of the loader for a library that it does not find, and of a jemalloc that cannot profile.
var absences = []string{"cannot be preloaded", "Invalid conf pair: prof:true"}

// preloaded runs a program with the allocator once, and returns an error if there is a complaint.
func (a profiledAllocator) preloaded(program string) error {
	c := &contender{name: a.name, command: []string{program, "-pairs=1"}, env: append(a.at(512<<10), a.preload())}
	_, complaint, err := c.output()
	if err != nil || len(complaint) == 0 {
		return err
	}
	said := strings.TrimSpace(string(complaint))
	for _, absence := range absences {
		if strings.Contains(said, absence) {
			return fmt.Errorf("%w: %q", errMissing, said)
		}
	}
	return fmt.Errorf("it printed %q", said)
}

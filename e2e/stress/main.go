package main

// #include "storm.h"
import "C"

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/trace"
	"time"
)

const roundLength = time.Second

func main() {
	length := flag.Duration("time", 30*time.Second, "how long to storm, at most, but for what each kind takes once")
	pairs := flag.Uint64("pairs", 0, "instead of a storm, this many pairs of malloc and free")
	full := flag.Bool("full", false, "all the time in one recording whose tables are full")
	pages := flag.Bool("pages", false, "only beside pages that are mapped and unmapped")
	maps := flag.Bool("maps", false, "instead of a storm of allocations, one of calls that map memory")
	recordings := flag.Int("recordings", 0, "instead of a storm, this many recordings under load")
	twins := flag.Int("twins", 0, "amid a storm, have this many copies of the process look for lost blocks")
	flag.Parse()
	var err error
	switch {
	case *pairs > 0:
		err = runPairs(os.Stdout, *pairs)
	case *maps:
		err = runMaps(os.Stdout, *length)
	case *twins > 0:
		err = runTwins(os.Stdout, *twins)
	case *recordings > 0:
		err = runRecordings(os.Stdout, *recordings)
	default:
		err = run(*length, *full, *pages)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "stress:", err)
		os.Exit(1)
	}
}

func run(length time.Duration, full, pages bool) error {
	folder, err := os.MkdirTemp("", "cgoheap-stress-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := buildLibraries(folder); err != nil {
		return err
	}
	defer giveUp(2*length + 20*time.Minute).Stop()
	if err := trace.Start(io.Discard); err != nil {
		return err
	}
	defer trace.Stop()
	runtime.SetCPUProfileRate(1000) // signals come at this rate, whether the profile is read or not
	if !C.stress_make_rooms() {
		return errors.New("there is no room for pages beside stacks")
	}
	s := storm{entrances: entrances(), onlyPages: pages}
	if pages {
		s.entrances = besidePages()
	}
	s.judge = newJudge(sites(s.entrances))
	if full {
		err = s.whenFull(length)
	} else {
		err = s.run(length)
	}
	if err != nil {
		return err
	}
	C.stress_free_all()
	return s.report(os.Stdout)
}

// run runs rounds, then recordings that start and stop amid a storm, then rounds with full tables, then sampled rounds. Each
// runs once at least, and then again while the time is enough for what it took: profiles are taken amid the storm, so that a
// busy machine takes seconds for what is to last one.
func (s *storm) run(length time.Duration) error {
	kinds := []func(time.Duration) error{s.round, s.underWay, s.whenFull, s.sampled}
	if s.onlyPages {
		kinds = kinds[:2]
	}
	took := make([]time.Duration, len(kinds))
	for end := time.Now().Add(length); ; {
		for i, kind := range kinds {
			begin := time.Now()
			if took[i] > 0 && begin.Add(took[i]).After(end) {
				return nil
			}
			if err := kind(min(roundLength, length/time.Duration(len(kinds)))); err != nil {
				return err
			}
			took[i] = time.Since(begin)
		}
	}
}

// report prints the table, and returns an error if anything is wrong, or lost although there was room.
func (s *storm) report(to io.Writer) error {
	s.table(to)
	wrong, lost := s.verdict()
	fmt.Fprintf(to, "wrong %d, lost %d\n", wrong, lost)
	if wrong != 0 || lost != 0 {
		return fmt.Errorf("%d wrong, %d lost", wrong, lost)
	}
	return nil
}

// giveUp ends the process, with all goroutines' stacks, if something hangs.
func giveUp(after time.Duration) *time.Timer {
	return time.AfterFunc(after, func() {
		debug.SetTraceback("all")
		panic("the storm has not ended")
	})
}

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// heaptrackLibrary is what the heaptrack script preloads, where Debian puts it.
const heaptrackLibrary = "/usr/lib/heaptrack/libheaptrack_preload.so"

// every compares recording every allocation with heaptrack. heaptrack's output is discarded: no process reads it while it is
// written, which is its best case. It runs in a C program, because it does not see Go's part of a stack; ours walks that as
// well.
func every(s setup) error {
	if _, err := os.Stat(heaptrackLibrary); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(os.Stderr, "capture: left out, because heaptrack is not installed (Debian: heaptrack):", err)
		return nil
	} else if err != nil {
		return err
	}
	s.table.head("Every allocation recorded, and what heaptrack takes for it", "ns per pair; of two threads by the clock on the wall", "cgoheap", "heaptrack")
	for _, as := range everyShapes {
		if err := s.everyAllocation(as); err != nil {
			return err
		}
	}
	return nil
}

var everyShapes = []shape{
	{threads: 1}, {threads: 1, tight: true}, {threads: 2}, {threads: 2, tight: true},
	{threads: 1, framed: true}, {threads: 1, framed: true, tight: true},
	{threads: 2, framed: true}, {threads: 2, framed: true, tight: true},
	{threads: 1, routes: 4}, {threads: 1, routes: 8}, {threads: 1, routes: 12}, {threads: 1, routes: 16},
	{threads: 2, routes: 12},
}

// everyPairs is fewer than usual, because each takes ten times as long.
const everyPairs = 500_000

func (s setup) everyAllocation(as shape) error {
	with, alone, err := as.programs()
	if err != nil {
		return err
	}
	flags := as.flags(everyPairs)
	ours := &contender{name: "cgoheap", command: append([]string{with, "-sample=1"}, flags...)}
	theirs := &contender{name: "heaptrack", command: append([]string{alone}, flags...),
		env: []string{"LD_PRELOAD=" + heaptrackLibrary, "DUMP_HEAPTRACK_OUTPUT=/dev/null"}}
	if err := compete(s.rounds, ours, theirs); err != nil {
		return err
	}
	by, wanted := byCPU, target{least: 1}
	if as.threads == 2 {
		by, wanted = byWall, target{least: 2} // one waits for the other
	}
	s.table.print(line{as.String(), ours.measured(by), theirs.measured(by), wanted})
	return nil
}

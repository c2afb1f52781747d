package main

import (
	"fmt"
	"os"
	"os/exec"
)

// dhatPairs is few, as valgrind takes a microsecond and a half for each.
const dhatPairs = 100_000

// dhat compares recording every allocation with valgrind's DHAT. The target is heaptrack's.
func dhat(s setup) error {
	valgrind, err := exec.LookPath("valgrind")
	if err != nil {
		fmt.Fprintln(os.Stderr, "capture: DHAT is left out (Debian: valgrind):", err)
		return nil
	}
	as := shape{threads: 1}
	with, alone, err := as.programs()
	if err != nil {
		return err
	}
	flags := as.flags(dhatPairs)
	ours := &contender{name: "cgoheap", command: append([]string{with, "-sample=1"}, flags...)}
	theirs := &contender{name: "DHAT",
		command: append([]string{valgrind, "-q", "--tool=dhat", "--dhat-out-file=/dev/null", alone}, flags...)}
	if err := compete(s.rounds, ours, theirs); err != nil {
		return err
	}
	s.table.head("Every allocation recorded, and valgrind's DHAT", "ns per pair", "cgoheap", "DHAT")
	s.table.print(line{as.String(), ours.measured(byCPU), theirs.measured(byCPU), target{least: 3}})
	return nil
}

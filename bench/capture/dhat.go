package main

import (
	"fmt"
	"os"
	"os/exec"
)

// dhatPairs is few, as valgrind takes a microsecond and a half for each.
const dhatPairs = 100_000

// dhat compares recording every allocation with valgrind's DHAT, and with valgrind alone, which runs all code slower.
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
	under := func(options ...string) *contender {
		return &contender{name: options[0], command: append(append([]string{valgrind, "-q"}, append(options, alone)...), flags...)}
	}
	ours := &contender{name: "cgoheap", command: append([]string{with, "-sample=1"}, flags...)}
	theirs, idle := under("--tool=dhat", "--dhat-out-file=/dev/null"), under("--tool=none")
	if err := compete(s.rounds, ours, theirs, idle); err != nil {
		return err
	}
	s.table.head("Every allocation recorded, and valgrind", "ns per pair", "cgoheap", "valgrind")
	s.table.print(line{"DHAT", ours.measured(byCPU), theirs.measured(byCPU), mark{least: 3}})
	s.table.print(line{about: "valgrind with no tool", ours: ours.measured(byCPU), peer: idle.measured(byCPU)})
	return nil
}

package main

// #include "storm.h"
import "C"

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// counts has the numbers of blocks that the judge found for a site.
type counts struct {
	expected, recorded int64 // allocated, in profiles that must be exact
	cut                int64
	wrong              int64
}

// table prints a line for each site, and then losses, other events and faults.
func (s *storm) table(to io.Writer) {
	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "site\tevents\texpected\trecorded\tlost\tcut\twrong\t")
	for i, d := range s.read() {
		site := s.judge.sites[i]
		n := site.counts
		events := d.allocated[0] + d.freed[0]
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t\n", site.name, events, n.expected, n.recorded, n.expected-n.recorded, n.cut, n.wrong)
	}
	t.Flush()
	fmt.Fprintln(to)
	for _, name := range s.losses.names {
		fmt.Fprintf(to, "%-32s %12d\n", name, s.losses.sums[name])
	}
	f := s.full
	fmt.Fprintf(to, "\ntables full: %d blocks expected, %d recorded, %d lost; ", f.expected, f.recorded, f.expected-f.recorded)
	fmt.Fprintf(to, "in the whole process, %d lost by stack or site, and %d not followed to their end\n", f.lost, f.lostLive)
	fmt.Fprintf(to, "\n%d recordings, %d profiles with %d samples; ", s.recordings, s.judge.dumps, s.judge.samples)
	fmt.Fprintf(to, "%d short threads, %d forks, %d spawns, %d programs run, %d libraries opened, %d signals handled, %d pages moved, %d collections\n",
		event(C.SHORT_THREADS), event(C.FORKS), event(C.SPAWNS), execs.Load(), event(C.LIBRARIES), event(C.SIGNALS), event(C.MOVES), collections.Load())
}

func event(e C.enum_event) uint64 { return uint64(C.stress_events(e)) }

// verdict returns how much is wrong and lost in all: 0, 0 if everything is right.
func (s *storm) verdict() (wrong, lost uint64) {
	return uint64(s.judge.faults) + event(C.FAILURES), s.losses.missing
}

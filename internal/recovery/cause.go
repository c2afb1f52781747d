package recovery

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/cgoheap/cgoheap/internal/flight"
	"github.com/cgoheap/cgoheap/internal/remote"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// evidence is what is known of the end of a process.
type evidence struct {
	ended          time.Time      // its last known moment
	last           *flight.Record // of that moment; nil if there is none
	asked, faulted remote.Signal
	killsNow       int64 // in the file in which last has flight.GroupKills; flight.Unknown if it cannot be read
	restarted      bool  // the machine was, since
}

const (
	// An orderly end comes soon after somebody asked for it: Kubernetes waits 30 s by default, systemd 90 s.
	drain = 5 * time.Minute

	// A process that has noted a record so long after a signal has survived it.
	survived = flight.Every + flight.Every/2

	// From this share of its limit on, a control group that cannot free any memory is about to be killed.
	full = 0.9
)

// cause returns why the process ended, in words that continue a sentence, and whether it was an orderly end, of which nobody needs a profile.
func (e *evidence) cause() (text string, orderly bool) {
	switch {
	case e.killed() > 0:
		return fmt.Sprintf("the kernel killed it because its control group was out of memory (%s in the group since its last second)",
			report.Count(e.killed(), "kill")), false
	case e.restarted:
		return "the machine was restarted, or the file was moved to another one", false
	case e.faulted.Signal != 0 && e.faulted.Time.Add(survived).After(e.ended):
		return fmt.Sprintf("it crashed with signal %d (%v)", int(e.faulted.Signal), e.faulted.Signal), false
	case e.isFull():
		return fmt.Sprintf("unknown, but most likely the kernel killed it for its memory: at its last second its control group used %s of its limit of %s",
			report.Bytes(e.last.Values[flight.GroupUsed]), report.Bytes(e.last.Values[flight.GroupLimit])), false
	case e.asked.Signal != 0 && e.asked.Time.Add(drain).After(e.ended):
		return fmt.Sprintf("it was asked to end, by signal %d (%v)", int(e.asked.Signal), e.asked.Signal), true
	}
	return "unknown: it exited without Profiler.Stop, panicked, or was killed", false
}

// killed returns how many processes of the group the kernel has killed for memory since the last record.
func (e *evidence) killed() int64 {
	if e.restarted || e.last == nil || e.killsNow == flight.Unknown || !e.last.Has(flight.GroupKills) {
		return 0
	}
	return max(0, e.killsNow-e.last.Values[flight.GroupKills])
}

// isFull does not count file cache, which the kernel drops before it kills.
func (e *evidence) isFull() bool {
	if e.last == nil || !e.last.Has(flight.GroupUsed, flight.GroupLimit) || e.last.Values[flight.GroupLimit] == 0 {
		return false
	}
	used := e.last.Values[flight.GroupUsed] - max(0, e.last.Values[flight.GroupCache])
	return float64(used) >= full*float64(e.last.Values[flight.GroupLimit])
}

// evidenceOf returns what is known now of the end of the process that left a box.
func evidenceOf(r *remote.Recording, h *remote.History) evidence {
	e := evidence{ended: r.Time, last: h.Last(), asked: r.Asked(), faulted: r.Faulted(), killsNow: flight.Unknown}
	if kills, err := usage.KillsIn(r.About.KillsFile); err == nil {
		e.killsNow = kills
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	e.restarted = err == nil && r.About.Boot != "" && strings.TrimSpace(string(boot)) != r.About.Boot
	return e
}

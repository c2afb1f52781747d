package recovery

import (
	"fmt"
	"slices"
	"syscall"
	"time"

	"github.com/cgoheap/cgoheap/internal/blackbox"
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
	linked         bool  // the program has the profiler linked in, as far as that is known
}

const (
	// A process that was asked to end and has not done so after this time did not end in order: somebody lost patience.
	// Kubernetes does after 30 s by default.
	drain = 20 * time.Second

	// One that has noted nothing for this time when it was asked had hung, or was stopped.
	silence = 3 * flight.Every

	slack = 50 * time.Millisecond // between the clock of records and the coarse one of signals

	// From this share of its limit on, a control group that cannot free any memory is about to be killed.
	full = 0.9
)

// cause returns why the process ended, in words that continue a sentence, and whether it was an orderly end, of which nobody
// needs a profile.
func (e *evidence) cause() (text string, orderly bool) {
	switch asked := e.ended.Sub(e.asked.Time); {
	case e.asked.Signal != 0 && -silence <= asked && asked <= drain && !e.faultedSince():
		return "it was asked to end, by " + nameOf(e.asked), true
	case e.killed() > 0:
		return fmt.Sprintf("the kernel killed it because its control group was out of memory (%s in the group since its last second)",
			report.Count(e.killed(), "kill")), false
	case e.restarted:
		return "the machine was restarted, or the file was moved to another one", false
	case e.asked.Signal != 0 && asked < -silence && e.last != nil: // else its last moment is not known
		return fmt.Sprintf("it hung, or was stopped, for %v, was asked to end by %s, and then killed", (-asked).Round(time.Second), nameOf(e.asked)), false
	case e.crashed(syscall.SIGABRT, syscall.SIGILL):
		return "it crashed with " + nameOf(e.faulted), false
	case e.isFull():
		return fmt.Sprintf("unknown, but most likely the kernel killed it for its memory: at its last second its control group used %s of its limit of %s",
			report.Bytes(e.last.Values[flight.GroupUsed]), report.Bytes(e.last.Values[flight.GroupLimit])), false
	case e.asked.Signal != 0 && e.faultedSince():
		return fmt.Sprintf("it was asked to end by %s, and then crashed with %s, unless it survived that", nameOf(e.asked), nameOf(e.faulted)), false
	case e.crashed(syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE):
		return "it most likely crashed with " + nameOf(e.faulted), false // Go programs can survive these
	case e.asked.Signal != 0 && 0 <= asked && asked <= patience:
		return fmt.Sprintf("it was asked to end by %s, had not done so %v later, and was killed, or ended late", nameOf(e.asked), asked.Round(time.Second)), false
	case e.linked:
		return "unknown: it exited without Profiler.Stop, panicked, or was killed", false
	}
	return "unknown: it exited, or was killed", false
}

// patience is the longest that somebody waits for a process to end.
const patience = 10 * time.Minute

func nameOf(s remote.Signal) string { return fmt.Sprintf("signal %d (%v)", int(s.Signal), s.Signal) }

// crashed reports whether the last signal that says that the program is faulty was one of these, and nothing was noted after it.
func (e *evidence) crashed(signals ...syscall.Signal) bool {
	return slices.Contains(signals, e.faulted.Signal) && !e.ended.After(e.faulted.Time.Add(slack))
}

// faultedSince reports whether the program was faulty after it had been asked to end, at its last moment.
func (e *evidence) faultedSince() bool {
	return e.crashed(e.faulted.Signal) && e.faulted.Signal != 0 && !e.faulted.Time.Before(e.asked.Time)
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

// running is the kernel. Tests replace it.
var running = usage.Running

// evidenceOf returns what is known now of the end of the process that left a box.
func evidenceOf(r *remote.Recording, h *remote.History) evidence {
	e := evidence{ended: r.Time, last: h.Last(), asked: r.Asked(), faulted: r.Faulted(), killsNow: flight.Unknown, linked: r.About.Config != nil}
	if kills, err := running.KillsAgain(r.About.KillsFile, r.About.KillsGroup); err == nil {
		e.killsNow = kills
	}
	boot := blackbox.Boot()
	e.restarted = boot != "" && r.About.Boot != "" && boot != r.About.Boot
	return e
}

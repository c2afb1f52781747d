package cgoheap

import (
	"runtime"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/flight"
	"github.com/cgoheap/cgoheap/internal/goheap"
	"github.com/cgoheap/cgoheap/internal/malloc"
	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/stack"
)

// startTimeline starts the flight recorder, if there is room for its notes.
func (p *Profiler) startTimeline() {
	if notes := p.recording.Notes(); notes != nil {
		p.flight = flight.Start(flight.New(notes), p.flightSources(), p.failed)
	}
}

// stopTimeline ends it.
func (p *Profiler) stopTimeline() {
	if p.flight != nil {
		p.flight.Stop()
	}
}

// timeline returns what the flight recorder has noted; nil if there is none, or after Stop.
func (p *Profiler) timeline() (t *flight.Timeline) {
	if p.flight != nil {
		p.flight.Read(func(n *flight.Notes) { t = flight.NewTimeline(n.Seconds(), n.Minutes()) })
	}
	return t
}

// markReached notes Go's heap, because memory has reached a mark, and returns the account, and what grows, in one line of a
// log.
func (p *Profiler) markReached() string {
	if p.flight != nil {
		p.flight.NoteHeap()
	}
	return p.aboutMemory() + p.aboutSuspects()
}

func (p *Profiler) flightSources() flight.Sources {
	type values = [flight.Fields]int64
	group := &groupNotes{}
	sources := flight.Sources{
		Quick: []func(*values){noteProcess, noteGo, func(v *values) { v[flight.Native] = p.recording.MallocInUse() }, p.deviceNotes(), group.note},
		Paced: []func(*values){group.find, noteStalls, p.noteMallocFree, p.noteMapped},
		Heap:  p.goHeap,
	}
	if p.box.Load() != nil { // others may read it
		sources.Paced = append(sources.Paced, func(*values) { p.recording.Settle() })
	}
	return sources
}

// goHeap returns Go's own heap, whose frames have modules of the recording.
func (p *Profiler) goHeap() stack.Profile { return goheap.Read(goModules(p.recording.Loaded())) }

func noteProcess(v *[flight.Fields]int64) {
	if rss, err := running.RSS(); err == nil {
		v[flight.RSS] = rss
	}
	if threads, err := running.Threads(); err == nil {
		v[flight.Threads] = threads
	}
	v[flight.Goroutines] = int64(runtime.NumGoroutine())
}

func noteGo(v *[flight.Fields]int64) {
	v[flight.GoHeap], v[flight.GoFree], v[flight.GoStacks], v[flight.GoOther] = account.GoMemory()
}

// deviceNotes returns a function that notes memory of devices, and nothing in a process that has had none.
func (p *Profiler) deviceNotes() func(*[flight.Fields]int64) {
	had := false
	return func(v *[flight.Fields]int64) {
		if bytes := p.recording.DeviceInUse(); bytes > 0 || had {
			v[flight.Devices], had = bytes, true
		}
	}
}

// groupNotes are notes of control groups. The group that is nearest to its limit is looked for rarely, and read every second.
type groupNotes struct {
	nearest usage.Group
	kills   string // the file with the kernel's count
}

func (g *groupNotes) find(v *[flight.Fields]int64) {
	var err error
	if g.nearest, err = running.Group(); err == nil {
		v[flight.GroupCache], v[flight.GroupLimit] = g.nearest.Cache, g.nearest.Limit
	}
	if g.kills == "" {
		g.kills, _, _ = running.Kills()
	}
}

func (g *groupNotes) note(v *[flight.Fields]int64) {
	if used, err := g.nearest.UsedNow(); err == nil {
		v[flight.GroupUsed] = used
	}
	if kills, err := usage.KillsIn(g.kills); err == nil {
		v[flight.GroupKills] = kills
	}
}

func noteStalls(v *[flight.Fields]int64) {
	if some, full, err := running.Stalls(); err == nil {
		v[flight.StalledSome], v[flight.StalledFull] = some, full
	}
}

// noteMallocFree notes nothing if there was no time to look at half of an allocator's memory: what it has free is then not
// known well enough.
func (p *Profiler) noteMallocFree(v *[flight.Fields]int64) {
	var free int64
	for _, kept := range malloc.Read(lookingTime, p.recording.Breaks()...) {
		if kept.Unknown != "" || kept.ShareRead > 0 && kept.ShareRead < malloc.EnoughRead {
			return
		}
		free += int64(kept.FreeResident)
	}
	v[flight.MallocFree] = free
}

func (p *Profiler) noteMapped(v *[flight.Fields]int64) {
	if bytes, err := p.recording.MappedBytes(); err == nil {
		v[flight.Mapped] = bytes
	}
}

// noteBytes returns the room for the flight recorder in the tables; 0 if it is not wanted.
func (c Config) noteBytes() int {
	if c.BlackBox == "" && !c.Timeline {
		return 0
	}
	return flight.Size
}

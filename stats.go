package cgoheap

import (
	"fmt"
	"slices"
	"strings"
)

// Counter is one of the profiler's counters, with a sentence about what it counts.
type Counter struct {
	Name     string
	Value    uint64
	Sentence string
}

// Stats are all counters of a profiler, in a fixed order: what was recorded, what was lost and why, and which addresses
// could not be named. Bytes, here and in profiles, are the sizes that the program asked for, not the sizes that the
// allocator rounded them up to.
type Stats []Counter

// Stats reads the counters. After Stop they keep their last values.
func (p *Profiler) Stats() Stats {
	var s Stats
	// Three lists: cgo/counters.h, alloc/losses.go, symbolize/reason.go.
	for _, l := range slices.Concat(p.recording.Counters(), p.names.Losses()) {
		s = append(s, Counter{Name: strings.ReplaceAll(l.Name, " ", "_"), Value: l.Count, Sentence: l.Sentence})
	}
	return s
}

// Value returns the value of the counter with this name, or 0 if there is none.
func (s Stats) Value(name string) uint64 {
	for _, c := range s {
		if c.Name == name {
			return c.Value
		}
	}
	return 0
}

// String returns a line for each counter: its name, its value and its sentence.
func (s Stats) String() string {
	var b strings.Builder
	for _, c := range s {
		fmt.Fprintf(&b, "%-28s %12d  %s\n", c.Name, c.Value, c.Sentence)
	}
	return b.String()
}

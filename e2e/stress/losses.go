package main

import (
	"slices"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/e2e/truth"
)

// losses are the sums of the profilers' counters of what is missing or cut.
type losses struct {
	names   []string
	sums    map[string]uint64
	missing uint64
}

func (l *losses) add(stats cgoheap.Stats) {
	if l.sums == nil {
		l.sums = make(map[string]uint64)
	}
	lost := truth.Lost(stats)
	for _, c := range slices.Concat(lost, truth.Cut(stats)) {
		if _, known := l.sums[c.Name]; !known {
			l.names = append(l.names, c.Name)
		}
		l.sums[c.Name] += c.Value
	}
	for _, c := range lost {
		l.missing += c.Value
	}
}

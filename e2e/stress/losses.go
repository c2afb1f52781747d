//go:build linux && cgo

package main

import (
	"regexp"

	"github.com/cgoheap/cgoheap"
)

// losses are the sums of the profilers' counters that say that something is missing or cut.
type losses struct {
	names []string
	sums  map[string]uint64
}

var (
	missing = regexp.MustCompile(`^(lost|maps_unreadable|modules_left_out|join_off)`)
	cut     = regexp.MustCompile(`^(stacks_cut|modules_without|snapshots_unsettled)`)
)

func (l *losses) add(stats cgoheap.Stats) {
	if l.sums == nil {
		l.sums = make(map[string]uint64)
	}
	for _, c := range stats {
		if !missing.MatchString(c.Name) && !cut.MatchString(c.Name) {
			continue
		}
		if _, known := l.sums[c.Name]; !known {
			l.names = append(l.names, c.Name)
		}
		l.sums[c.Name] += c.Value
	}
}

// lost is the sum of what is missing.
func (l *losses) lost() (sum uint64) {
	for _, name := range l.names {
		if missing.MatchString(name) {
			sum += l.sums[name]
		}
	}
	return sum
}

package main

import (
	"bytes"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/e2e/truth"
)

// countedTwice lists memory that counts as mapped directly although it was mapped to allocate at a site: its blocks are counted
// already.
func countedTwice(profiler *cgoheap.Profiler) (faults []string) {
	var written bytes.Buffer
	if err := profiler.Write(&written, cgoheap.Selection{View: cgoheap.ViewRSS()}); err != nil {
		return []string{err.Error()}
	}
	p, err := profile.Parse(&written)
	if err != nil {
		return []string{err.Error()}
	}
	for _, sample := range p.Sample {
		names := strings.Join(truth.Names(sample), "\n\t")
		if slices.Contains(sample.Label["heap"], "mapped") && strings.Contains(names, "core_") {
			faults = append(faults, "an allocator's memory counts as mapped directly:\n\t"+names)
		}
	}
	return faults
}

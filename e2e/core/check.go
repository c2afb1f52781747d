//go:build linux && cgo

package main

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
)

// A check holds a profile against what was allocated.
type check struct {
	sites     sites
	arguments []string
}

// faults are what is wrong, one per line.
func (c check) faults(p *profile.Profile, stats cgoheap.Stats) []string {
	var faults []string
	bySize := make(map[int64][]*profile.Sample)
	for _, sample := range p.Sample {
		bySize[sample.NumLabel["bytes"][0]] = append(bySize[sample.NumLabel["bytes"][0]], sample)
	}
	for _, s := range c.sites {
		faults = append(faults, c.compare(s, bySize[s.size])...)
	}
	if c.unseenNew() && stats.Value("operators_unseen") == 0 {
		faults = append(faults, "nothing says that an operator new is not seen")
	}
	for _, counter := range stats {
		if counter.Value != 0 && losses.MatchString(counter.Name) && !c.tolerates(counter.Name) {
			faults = append(faults, fmt.Sprintf("%s is %d: %s", counter.Name, counter.Value, counter.Sentence))
		}
	}
	return faults
}

// losses are the counters that say that something is missing.
var losses = regexp.MustCompile(`^(stacks_cut|lost|modules_without|maps_unreadable|join_off|operators_unseen|snapshots_unsettled)`)

// tolerates says whether this may be so here. A thread's first caller lies in libc.
func (c check) tolerates(counter string) bool {
	return counter == "stacks_cut_no_unwind_data" && slices.Contains(c.arguments, "blindlibc") ||
		counter == "operators_unseen" && c.unseenNew()
}

// unseenNew says whether there is an operator new that is not seen: the program's, or one for others.
func (c check) unseenNew() bool {
	return slices.Contains(c.arguments, "blindnew") || slices.Contains(c.arguments, "othernew")
}

// compare wants all blocks of a site, and only those, in samples of its size with its stack.
func (c check) compare(s *site, samples []*profile.Sample) []string {
	var got [4]int64
	var faults []string
	for _, sample := range samples {
		names := names(sample)
		if missing := c.missing(s, names); missing != "" {
			faults = append(faults, fmt.Sprintf("a block of %s has a stack without %s:\n\t%s", s.frames[0], missing, strings.Join(names, "\n\t")))
			continue
		}
		for i := range got {
			got[i] += sample.Value[i]
		}
	}
	want := [4]int64{perVisit, perVisit * s.size, kept, kept * s.size}
	if s.frames[0] == "core_new" && slices.Contains(c.arguments, "blindnew") {
		want = [4]int64{}
	}
	if got != want {
		faults = append(faults, fmt.Sprintf("allocated and in use: %d, want %d at\n\t%s", got, want, strings.Join(s.frames, "\n\t")))
	}
	return faults
}

// missing is the first of the site's frames that the names lack, in order; "" if they have them all.
func (c check) missing(s *site, names []string) string {
	if s.frames[0] == "core_strdup" && slices.Contains(c.arguments, "blindlibc") {
		return ""
	}
	for _, frame := range s.frames {
		if strings.HasPrefix(frame, "core_") && slices.Contains(c.arguments, "unnamed") {
			continue
		}
		at := slices.Index(names, c.name(frame))
		if at < 0 {
			return frame
		}
		names = names[at+1:]
	}
	return ""
}

// name is what a frame is called in this build. In a plugin, package main has the name of its path.
func (c check) name(frame string) string {
	if function, ok := strings.CutPrefix(frame, "main."); ok && slices.Contains(c.arguments, "plugin") {
		return reflect.TypeFor[check]().PkgPath() + "." + function
	}
	return frame
}

func names(sample *profile.Sample) []string {
	var names []string
	for _, location := range sample.Location {
		for _, line := range location.Line {
			names = append(names, line.Function.Name)
		}
		if len(location.Line) == 0 {
			names = append(names, fmt.Sprintf("%#x", location.Address))
		}
	}
	return names
}
